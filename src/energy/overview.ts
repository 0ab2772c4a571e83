import { DateTime } from 'luxon';
import { milliwattHoursToKwh } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { type CommodityGlance, commodityOverview } from './commodity-overview.ts';
import type { Whose } from './consumption.ts';
import { type Flows, homeFlows } from './home/flows.ts';
import { homeOverview } from './home/overview.ts';
import { composedHome } from './insights.ts';
import { type Bucket, overviewBuckets, type Spans } from './overview-buckets.ts';
import { dayRange, firstInstant } from './ranges.ts';

const DAYS = 30;
const MONTHS = 12;

/** Consumption of a bucket; both null where nothing is known of it. */
interface Used {
  kwh_used: number | null;
  /** Part of it that was spread over a gap in a register's readings. */
  estimated_kwh: number | null;
}
type Known = { [Name in keyof Used]: number };

/** What the Home page of the dashboard shows. Buckets about which nothing is known are left out of the lists. */
export interface Overview {
  timezone: string;
  /** With the zone's offset, as `starts_at`. */
  now: string;
  today: Used;
  yesterday: Used;
  month: Used;
  last_month: Used;
  /** The last 48 clock hours, the one under way included. */
  hours: (Known & { starts_at: string })[];
  /** The last 30 days, today included. */
  days: (Known & { date: string })[];
  /** The last 12 months, YYYY-MM, this one included. */
  months: (Known & { month: string })[];
  /** Where energy came from and went, in a home that is more than a sum of imports. */
  flows: { today: Flows; month: Flows } | null;
  /** What was used of gas, heat and water, of those that the home has. */
  commodities: CommodityGlance<'today' | 'month' | 'last_month'>[];
  week: {
    /** Mean of each hour of the week over the hours that are over; weekday 1 is Monday. */
    cells: { weekday: number; hour: number; kwh_used: number }[];
    weeks: number;
  };
}

/** Consumption at a glance, in the hours, days and months of a zone. `weeks`: how many the mean week is made of. */
export async function overview(
  db: Database,
  whose: Whose,
  { zone, weeks, now }: { zone: string; weeks: number; now: Date },
): Promise<Overview> {
  const today = DateTime.fromJSDate(now, { zone });
  const lastMonth = today.startOf('month').minus({ months: 1 });
  const spans = spansOf(today, weeks);
  const home = 'userId' in whose ? await composedHome(db, whose.userId) : null;
  const buckets = home ? await homeOverview(db, home, spans, now) : await overviewBuckets(db, whose, spans, now);
  const flows = home && (await homeFlows(db, home.userId, [dayOf(today), monthOf(today)], now));
  const commodities = await commodityOverview(db, whose, {
    today: dayOf(today),
    month: monthOf(today),
    last_month: wholeMonth(lastMonth),
  });
  const { hour: hours, day: days, month: months, cell: cells } = buckets;
  return {
    timezone: zone,
    now: isoOf(today),
    today: usedIn(days, today.toFormat('yyyy-MM-dd')),
    yesterday: usedIn(days, today.minus({ days: 1 }).toFormat('yyyy-MM-dd')),
    month: usedIn(months, today.toFormat('yyyy-MM')),
    last_month: usedIn(months, lastMonth.toFormat('yyyy-MM')),
    hours: hours.map((one) => ({ starts_at: isoOf(DateTime.fromMillis(Number(one.name), { zone })), ...known(one) })),
    days: days.map((one) => ({ date: one.name, ...known(one) })),
    months: months.map((one) => ({ month: one.name, ...known(one) })),
    flows: flows && { today: flows[0] as Flows, month: flows[1] as Flows },
    commodities,
    week: {
      weeks,
      cells: cells.map(({ name, milliwattHours }) => {
        const [weekday = 0, hour = 0] = name.split(' ').map(Number);
        return { weekday, hour, kwh_used: milliwattHoursToKwh(milliwattHours) };
      }),
    },
  };
}

/** Span of each list; all of them end today. */
function spansOf(today: DateTime, weeks: number): Spans {
  const firstDay = today.minus({ days: Math.max(DAYS, 7 * weeks) - 1 });
  const daysFrom = firstInstant(today.minus({ days: DAYS - 1 }), 'day').toJSDate();
  const weekFrom = firstInstant(today.minus({ days: 7 * weeks - 1 }), 'day').toJSDate();
  const range = dayRange(firstDay.toISODate() ?? '', today.toISODate() ?? '', today.zoneName ?? 'UTC');
  const months = Array.from({ length: MONTHS }, (_, index) =>
    today.startOf('month').minus({ months: MONTHS - 1 - index }),
  );
  const names = months.map((month) => month.toFormat('yyyy-MM'));
  const starts = months.map((month) => firstInstant(month, 'month').toJSDate());
  return { range, daysFrom, weekFrom, months: { names, starts, end: range.to } };
}

const dayOf = (today: DateTime) => dayRange(today.toISODate() ?? '', today.toISODate() ?? '', today.zoneName ?? 'UTC');
const monthOf = (today: DateTime) =>
  dayRange(today.startOf('month').toISODate() ?? '', today.toISODate() ?? '', today.zoneName ?? 'UTC');
const wholeMonth = (month: DateTime) =>
  dayRange(month.toISODate() ?? '', month.endOf('month').toISODate() ?? '', month.zoneName ?? 'UTC');

const isoOf = (time: DateTime): string => time.toISO({ suppressMilliseconds: true }) as string;

const known = ({ milliwattHours, estimatedMilliwattHours }: Bucket): Known => ({
  kwh_used: milliwattHoursToKwh(milliwattHours),
  estimated_kwh: milliwattHoursToKwh(estimatedMilliwattHours),
});

function usedIn(buckets: readonly Bucket[], name: string): Used {
  const bucket = buckets.find((one) => one.name === name);
  return bucket ? known(bucket) : { kwh_used: null, estimated_kwh: null };
}
