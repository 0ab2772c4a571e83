import { DateTime } from 'luxon';
import { asMilliwattHours } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import type { Bucket, BucketKind, Spans } from '../overview-buckets.ts';
import { homeByDay, homeByHour, homeByMonth } from './buckets.ts';
import type { Home } from './home.ts';
import { estimatedOf, type HomeSums, usedOf } from './sums.ts';

const HOUR_MS = 3_600_000;

/** The lists of an overview (overview-buckets.ts) of a home that is composed of more than imports. */
export async function homeOverview(
  db: Database,
  home: Home,
  { range, daysFrom, weekFrom, months }: Spans,
  now: Date,
): Promise<Record<BucketKind, Bucket[]>> {
  const { zone } = range;
  const first = months.names[0] ?? range.start.slice(0, 7);
  const monthsFrom = months.starts[0] ?? range.from;
  const [hours, days, whole] = await Promise.all([
    homeByHour(db, home, range),
    homeByDay(db, home, { ...range, from: daysFrom }),
    homeByMonth(db, home, { ...range, start: `${first}-01`, from: monthsFrom, to: months.end }),
  ]);
  const bucket = (name: string, sums: HomeSums): Bucket[] => {
    const used = usedOf(sums);
    return used === null ? [] : [{ name, milliwattHours: used, estimatedMilliwattHours: estimatedOf(sums) }];
  };
  const used = hours.flatMap(({ hour, ...sums }) =>
    bucket(String(hour.getTime()), sums).map((one) => ({ hour, bucket: one })),
  );
  return {
    hour: used
      .filter(({ hour }) => hour.getTime() > now.getTime() - 48 * HOUR_MS && hour.getTime() <= now.getTime())
      .map((one) => one.bucket),
    day: days.flatMap(({ day, ...sums }) => bucket(day, sums)),
    month: whole.flatMap(({ month, ...sums }) => bucket(month.slice(0, 7), sums)),
    // Without the hour under way: it would always draw its mean down.
    cell: meanWeek(
      used.filter(({ hour }) => hour >= weekFrom && hour.getTime() + HOUR_MS <= now.getTime()),
      zone,
    ),
  };
}

/** Mean of each hour of the week, by ISO weekday and hour of the day. */
function meanWeek(hours: readonly { hour: Date; bucket: Bucket }[], zone: string): Bucket[] {
  const cells = Map.groupBy(hours, ({ hour }) => {
    const local = DateTime.fromJSDate(hour, { zone });
    return `${local.weekday} ${String(local.hour).padStart(2, '0')}`;
  });
  return [...cells]
    .map(([name, all]) => {
      const mean = (of: (one: Bucket) => number) =>
        asMilliwattHours(all.reduce((sum, one) => sum + of(one.bucket), 0) / all.length);
      return {
        name,
        milliwattHours: mean(({ milliwattHours }) => milliwattHours),
        estimatedMilliwattHours: mean(({ estimatedMilliwattHours }) => estimatedMilliwattHours),
      };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
