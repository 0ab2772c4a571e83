import { castToMilliwattHours, type MilliwattHours } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { loadHome } from './home/home.ts';
import { computeHomeUsage, type HomeSums } from './home/sums.ts';
import { type DayRange, isSubDayUnit } from './ranges.ts';
import { readHomeSumsByDay, readHomeSumsByMonth, readHomeSumsBySubDayUnit } from './usage/home-sums.ts';
import { type BucketUnit, formatEpochDate, readImportedEnergy } from './usage/imports.ts';

/**
 * Returns the known usage of a user's home, in rows by the range's time zone. `at`: start of the hour, or first day of the day or month.
 */
export async function readHomeUsageByBucket(
  db: Database,
  userId: string,
  range: DayRange,
  unit: BucketUnit,
): Promise<{ at: Date | string; milliwattHours: MilliwattHours }[]> {
  const imports = await readImportedEnergy(db, { userId }, range, unit);
  if (imports)
    return imports.milliwattHours.map((milliwattHours, place) => {
      const at = imports.at[place] as number;
      return { at: isSubDayUnit(unit) ? new Date(at * 1_000) : formatEpochDate(at), milliwattHours };
    });
  const home = await loadHome(db, userId, { isMoreAsked: false, needsConsumption: false });
  if (isSubDayUnit(unit))
    return known(await readHomeSumsBySubDayUnit(db, home, range, unit), ({ startsAt }) => startsAt);
  if (unit === 'day') return known(await readHomeSumsByDay(db, home, range), ({ day }) => day);
  return known(await readHomeSumsByMonth(db, home, range), ({ month }) => month);
}

const known = <Row extends HomeSums>(rows: readonly Row[], at: (row: Row) => Date | string) =>
  rows.flatMap((row) => {
    const used = computeHomeUsage(row);
    return used === null ? [] : [{ at: at(row), milliwattHours: castToMilliwattHours(used) }];
  });
