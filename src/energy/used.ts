import { asMilliwattHours, type MilliwattHours } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { consumptionByDay, consumptionByHour, consumptionByMonth } from './consumption.ts';
import { homeByDay, homeByHour, homeByMonth } from './home/buckets.ts';
import { type HomeSums, usedOf } from './home/sums.ts';
import { composedHome } from './insights.ts';
import type { Range } from './ranges.ts';

/** What a user's home used in the buckets of a zone of which it is known, in order. `at`: start of the hour; first day of day or month. */
export async function usedBy(
  db: Database,
  userId: string,
  range: Range,
  unit: 'hour' | 'day' | 'month',
): Promise<{ at: Date | string; milliwattHours: MilliwattHours }[]> {
  const home = await composedHome(db, userId);
  const whose = { userId };
  if (!home) {
    if (unit === 'hour')
      return (await consumptionByHour(db, whose, range)).map(({ hour, ...row }) => ({ at: hour, ...row }));
    if (unit === 'day')
      return (await consumptionByDay(db, whose, range)).map(({ day, ...row }) => ({ at: day, ...row }));
    return (await consumptionByMonth(db, whose, range)).map(({ month, ...row }) => ({ at: month, ...row }));
  }
  if (unit === 'hour') return known(await homeByHour(db, home, range), ({ hour }) => hour);
  if (unit === 'day') return known(await homeByDay(db, home, range), ({ day }) => day);
  return known(await homeByMonth(db, home, range), ({ month }) => month);
}

const known = <Row extends HomeSums>(rows: readonly Row[], at: (row: Row) => Date | string) =>
  rows.flatMap((row) => {
    const used = usedOf(row);
    return used === null ? [] : [{ at: at(row), milliwattHours: asMilliwattHours(used) }];
  });
