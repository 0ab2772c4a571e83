import type { MilliwattHours } from '#src/core/units.ts';
import { createQueryFunction, type Database } from '#src/database/connect.ts';
import { readPeriodUsageSoFar } from '#src/energy/home/usage-so-far.ts';
import { filterUsersWithComposedHomes } from '#src/energy/usage/composed-homes.ts';
import { readImportedEnergyInRanges, type UserTimeRange } from '#src/energy/usage/totals.ts';

/**
 * Returns the usage of the periods so far, in mWh, by the index of the period. Periods with unknown usage are omitted. `db` must
 * be the transaction that took the changed hours from the queue.
 */
export async function computeUsageTotals(
  db: Database,
  periods: readonly UserTimeRange[],
  nowMs: number,
): Promise<Map<number, MilliwattHours>> {
  const totals = new Map((await readImportedEnergyInRanges(createQueryFunction(db), periods)).entries());
  const ofUsers = Map.groupBy(periods.keys(), (index) => periods[index]?.userId ?? '');
  for (const userId of await filterUsersWithComposedHomes(db, [...ofUsers.keys()])) {
    const indexes = ofUsers.get(userId) ?? [];
    const asked = indexes.map((index) => periods[index] as UserTimeRange);
    for (const [place, used] of (await readPeriodUsageSoFar(db, userId, asked, nowMs)).entries()) {
      const index = indexes[place] as number;
      if (used === null) totals.delete(index);
      else totals.set(index, used);
    }
  }
  return totals;
}
