import { type Examples, user_id } from '../example-ids.ts';

export const ENERGY_INSIGHTS_EXAMPLES = {
  getEnergyInsights: {
    answer: {
      user_id,
      data: [
        { date: '2026-06-14', kwh_used: 12.482, peak_hour: '18:00' },
        { date: '2026-06-15', kwh_used: 9.107, peak_hour: '19:00' },
      ],
    },
    csv: 'date,kwh_used,peak_hour\n2026-06-14,12.482,18:00\n2026-06-15,9.107,19:00\n',
  },
  postEnergyInsights: {
    body: { interval: 'month', metrics: ['kwh_used', 'peak_hour'] },
    answer: { summary: { total_kwh: 174.26, avg_daily_kwh: 11.617, peak_usage_time: '18:00' } },
  },
} satisfies Examples;
