import { milliwattHoursToKwh } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { COMMODITIES, type Commodity } from '#src/database/meter.ts';
import { loadHomeForCommodity } from './home/home.ts';
import { computeEstimatedUsage, computeHomeUsage } from './home/sums.ts';
import type { DayRange } from './ranges.ts';
import { readHomeSums } from './usage/home-sums.ts';
import type { UserOrDevice } from './usage/imports.ts';

/** Usage in the unit of its commodity. Both values are null if nothing is known. */
interface Amount {
  used: number | null;
  /** Part of `used` that was spread over a time without readings. */
  estimated: number | null;
}

export type CommodityUsage<Name extends string> = { commodity: Commodity; unit: 'kWh' | 'm³' } & Record<Name, Amount>;

const METERS = COMMODITIES.flatMap((commodity) => [
  { commodity, unit: 'kWh' as const, meter: commodity },
  { commodity, unit: 'm³' as const, meter: `${commodity}_m3` as const },
]);

/**
 * Returns the use of gas, heat and water by a home or a device in each of the named ranges. Omits meters without data in any of the ranges.
 */
export async function loadCommodityOverview<Name extends string>(
  db: Database,
  whose: UserOrDevice,
  ranges: Readonly<Record<Name, DayRange>>,
): Promise<CommodityUsage<Name>[]> {
  const meters = await metersOf(db, whose);
  const glances = await Promise.all(
    METERS.filter(({ meter }) => meters.has(meter)).map(async ({ commodity, unit, meter }) => {
      const home = await loadHomeForCommodity(db, whose, meter);
      const amountIn = async (range: DayRange): Promise<Amount> => {
        const sums = await readHomeSums(db, home, range);
        const used = computeHomeUsage(sums);
        if (used === null) return { used, estimated: null };
        return { used: milliwattHoursToKwh(used), estimated: milliwattHoursToKwh(computeEstimatedUsage(sums)) };
      };
      const names = Object.keys(ranges) as Name[];
      const amounts = await Promise.all(names.map(async (name) => [name, await amountIn(ranges[name])] as const));
      const isThere = home.devices.some(({ placement, endsAtMs }) => placement !== 'excluded' && endsAtMs === null);
      if (!isThere && amounts.every(([, { used }]) => used === null)) return [];
      return [{ commodity, unit, ...(Object.fromEntries(amounts) as Record<Name, Amount>) }];
    }),
  );
  return glances.flat();
}

/** Returns the quantities (gas, heat or water, in kWh or m³) that a user's devices have ever reported. */
async function metersOf(db: Database, whose: UserOrDevice): Promise<ReadonlySet<string>> {
  let query = db
    .selectFrom('series_roles as s')
    .innerJoin('devices as d', 'd.device_id', 's.device_id')
    .select('s.meter')
    .distinct()
    .where(
      's.meter',
      'in',
      METERS.map(({ meter }) => meter),
    );
  query =
    'userId' in whose ? query.where('d.user_id', '=', whose.userId) : query.where('d.device_id', '=', whose.deviceId);
  return new Set((await query.execute()).flatMap(({ meter }) => meter ?? []));
}
