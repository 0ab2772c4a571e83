import { castToMilliwattHours, type MilliwattHours } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { loadHome } from './home/home.ts';
import { computeHomeUsage, type HomeSums } from './home/sums.ts';
import { type DayRange, isClockUnit } from './ranges.ts';
import { readHomeSumsByClockUnit, readHomeSumsByDay, readHomeSumsByMonth } from './usage/home-sums.ts';
import { type BucketUnit, formatEpochDate, readImports } from './usage/imports.ts';

/**
 * Returns the known usage of a user's home, in rows by the range's time zone. `at`: start of the hour, or first day of the day or month.
 */
export async function readHomeUsageByBucket(
  db: Database,
  userId: string,
  range: DayRange,
  unit: BucketUnit,
): Promise<{ at: Date | string; milliwattHours: MilliwattHours }[]> {
  const imports = await readImports(db, { userId }, range, unit);
  if (imports)
    return imports.milliwattHours.map((milliwattHours, place) => {
      const at = imports.at[place] as number;
      return { at: isClockUnit(unit) ? new Date(at * 1_000) : formatEpochDate(at), milliwattHours };
    });
  const home = await loadHome(db, userId, { isMoreAsked: false, needsConsumption: false });
  if (isClockUnit(unit)) return known(await readHomeSumsByClockUnit(db, home, range, unit), ({ startsAt }) => startsAt);
  if (unit === 'day') return known(await readHomeSumsByDay(db, home, range), ({ day }) => day);
  return known(await readHomeSumsByMonth(db, home, range), ({ month }) => month);
}

const known = <Row extends HomeSums>(rows: readonly Row[], at: (row: Row) => Date | string) =>
  rows.flatMap((row) => {
    const used = computeHomeUsage(row);
    return used === null ? [] : [{ at: at(row), milliwattHours: castToMilliwattHours(used) }];
  });
