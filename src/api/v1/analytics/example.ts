import { type Examples, user_id } from '../example-ids.ts';

export const ANALYTICS_EXAMPLES = {
  monthlyAnalytics: {
    answer: {
      user_id,
      data: [
        {
          month: '2026-05',
          kwh_used: 342.118,
          avg_daily_kwh: 11.036,
          peak_hour: '18:00',
          change_kwh: -21.4,
          change_percent: -5.9,
        },
        {
          month: '2026-06',
          kwh_used: 174.26,
          avg_daily_kwh: 11.617,
          peak_hour: '18:00',
          change_kwh: 6.02,
          change_percent: 3.6,
          partial: true,
        },
      ],
    },
    csv: 'month,kwh_used,avg_daily_kwh,peak_hour,change_kwh,change_percent,partial\n2026-05,342.118,11.036,18:00,-21.4,-5.9,\n2026-06,174.26,11.617,18:00,6.02,3.6,1\n',
  },
} satisfies Examples;
