import { castToMilliwattHours, type MilliwattHours, QUARTER_HOUR_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { type Home, loadDeviceAsHome, loadHome } from '../home/home.ts';
import { type HomeQuarterHours, readHomeQuarterHours } from '../home/quarter-hours.ts';
import { computeExpectedCoverageMs } from '../home/roles.ts';
import { computeEstimatedUsage, computeHomeUsage, type HomeSums } from '../home/sums.ts';
import type { DayRange } from '../ranges.ts';
import { readHomeSums, readHomeSumsByDay, readHomeSumsByMonth } from '../usage/home-sums.ts';
import { readQuarterHours } from '../usage/quarter-hours.ts';

export interface EnergyAmount {
  used: MilliwattHours;
  estimated: MilliwattHours;
}

export interface EnergyWithCoverage {
  amount: EnergyAmount | null;
  coverage: number | null;
}

export interface PeriodTotal extends EnergyWithCoverage {
  sums: HomeSums;
}

/** Load by quarter-hour in mWh, starting at `fromMs`. NaN: unknown, or mostly estimated. */
export interface QuarterHourEnergies {
  fromMs: number;
  energies: Float64Array;
}

export type PeriodDataSource = ReturnType<typeof tellerOf>;

export async function createHomeDataSource(db: Database, userId: string): Promise<PeriodDataSource> {
  const home = await loadHome(db, userId, { isMoreAsked: true, needsConsumption: true });
  // Energy flows are needed only for the whole period. Without them, reading takes a third of the time.
  const plain = { ...home, isMoreAsked: false, needsConsumption: false };
  const amountOf = (sums: HomeSums): EnergyAmount | null => {
    const used = computeHomeUsage(sums);
    return used === null ? null : { used, estimated: computeEstimatedUsage(sums) };
  };
  return tellerOf(db, { home, rows: plain, amountOf, isProducer: false }, async (range) => {
    return maskUnmeasuredUsage(await readHomeQuarterHours(db, plain, range));
  });
}

/** Creates the data source for one device: its import, or its export if it produces. Null if it never had any energy. */
export async function createDeviceDataSource(db: Database, deviceId: string): Promise<PeriodDataSource | null> {
  const loaded = await loadDeviceAsHome(db, deviceId);
  if (!loaded) return null;
  const { home, device } = loaded;
  const isProducer = device.placement === 'production' && device.producesExport;
  const amountOf = ({
    gridImport = 0,
    gridExport = 0,
    countedMs = 0,
    gridMs,
    estimated,
  }: HomeSums): EnergyAmount | null => {
    if (isProducer) return gridMs > countedMs ? { used: castToMilliwattHours(gridExport), estimated: NONE } : null;
    if (countedMs <= 0) return null;
    return { used: castToMilliwattHours(gridImport), estimated: castToMilliwattHours(Math.min(estimated, gridImport)) };
  };
  return tellerOf(db, { home, rows: home, amountOf, isProducer }, async (range) => {
    const found = await readDeviceLoadProfiles(db, [deviceId], range, isProducer);
    const count = (range.to.getTime() - range.from.getTime()) / QUARTER_HOUR_MS;
    return found.get(deviceId) ?? new Float64Array(count).fill(Number.NaN);
  });
}

const NONE = castToMilliwattHours(0);

/** A quarter-hour is unknown if less than this share of it is known. */
const MOSTLY = 0.9;
const MOSTLY_MS = MOSTLY * QUARTER_HOUR_MS;

/**
 * Returns the usage by quarter-hour; NaN if unknown or mostly estimated. Missing data make only the last quarter-hour unknown: an inverter
 * that is off at night must not make the usage of all nights unknown.
 */
export function maskUnmeasuredUsage({
  used,
  estimated,
  coverage,
}: Pick<HomeQuarterHours, 'used' | 'estimated' | 'coverage'>): Float64Array {
  const last = used.length - 1;
  return used.map((energy, at) => {
    const isWhole = at < last || (coverage[at] as number) >= MOSTLY;
    return isWhole && 2 * (estimated[at] as number) <= energy ? energy : Number.NaN;
  });
}

/**
 * Returns the loads of devices by quarter-hour in mWh; NaN if unknown or mostly estimated. `isOut`: exports instead of imports. Both times
 * must be starts of quarter-hours.
 */
export async function readDeviceLoadProfiles(
  db: Database,
  ids: readonly string[],
  range: { from: Date; to: Date },
  isOut = false,
): Promise<Map<string, Float64Array>> {
  const [energy, known] = isOut
    ? (['exportMilliwattHours', 'exportCoveredMs'] as const)
    : (['energyMilliwattHours', 'coveredMs'] as const);
  const found = await readQuarterHours(db, { key: 'device_id', ids }, range, [
    energy,
    known,
    'estimatedMilliwattHours',
  ]);
  return new Map(
    [...found].map(([id, lists]) => {
      const energies = lists[energy].map((value, at) => {
        const isMeasured = isOut || 2 * (lists.estimatedMilliwattHours[at] as number) <= value;
        return (lists[known][at] as number) >= MOSTLY_MS && isMeasured ? value : Number.NaN;
      });
      return [id, energies];
    }),
  );
}

function tellerOf(
  db: Database,
  of: { home: Home; rows: Home; amountOf: (sums: HomeSums) => EnergyAmount | null; isProducer: boolean },
  energiesIn: (range: { from: Date; to: Date }) => Promise<Float64Array>,
) {
  const { home, rows, amountOf, isProducer } = of;
  const begins = home.devices.flatMap(({ beginsAtMs, placement }) =>
    beginsAtMs === null || placement === 'excluded' ? [] : [beginsAtMs],
  );
  const beginsAtMs = begins.length === 0 ? null : Math.min(...begins);
  return {
    home,
    /** Whether all amounts are exports instead of imports. */
    isProducer,
    /** Start of the data, Unix ms. Null if unknown. */
    beginsAtMs,
    async totalIn(range: { from: Date; to: Date }): Promise<PeriodTotal> {
      const sums = await readHomeSums(db, home, range);
      return { amount: amountOf(sums), coverage: coverageOf(home, beginsAtMs, sums.countedMs, range), sums };
    },
    /**
     * Returns the usage of a range, but not its energy flows. This takes a third of the time. The coverage then refers to the grid meters
     * or, without any, to consumption devices.
     */
    async usedIn(range: { from: Date; to: Date }): Promise<EnergyWithCoverage> {
      const sums = await readHomeSums(db, rows, range);
      const known = rows.isMoreAsked ? sums.countedMs : sums.gridMs + sums.aloneMs;
      const counted = rows.isMoreAsked ? home : { ...home, devices: home.devices.filter(isAtTheDoor) };
      return { amount: amountOf(sums), coverage: coverageOf(counted, beginsAtMs, known, range) };
    },
    /** Returns known amounts by day or month, in order. `date`: first day. */
    async bucketsIn(range: DayRange, unit: 'day' | 'month'): Promise<(EnergyAmount & { date: string })[]> {
      const buckets =
        unit === 'day'
          ? (await readHomeSumsByDay(db, rows, range)).map(({ day, ...sums }) => ({ date: day, sums }))
          : (await readHomeSumsByMonth(db, rows, range)).map(({ month, ...sums }) => ({ date: month, sums }));
      return buckets.flatMap(({ date, sums }) => {
        const amount = amountOf(sums);
        return amount ? [{ date, ...amount }] : [];
      });
    },
    /** The bounds of the time range must be starts of quarter-hours. */
    loadIn: async (range: { from: Date; to: Date }): Promise<QuarterHourEnergies> => ({
      fromMs: range.from.getTime(),
      energies: await energiesIn(range),
    }),
  };
}

/** Whether a device is a grid meter or, without any, a consumption device. */
const isAtTheDoor = ({ placement }: Home['devices'][number]): boolean =>
  placement === 'grid' || placement === 'consumption';

/**
 * Returns the share of the expected data that is known. The time before the first device counts as unknown, so that a month with one week
 * of data does not seem complete.
 */
function coverageOf(
  home: Home,
  beginsAtMs: number | null,
  countedMs: number | undefined,
  { from, to }: { from: Date; to: Date },
): number | null {
  const [fromMs, toMs] = [from.getTime(), to.getTime()];
  const expected = computeExpectedCoverageMs(home.devices, home.stretches, { fromMs, toMs });
  if (beginsAtMs === null || expected === 0 || fromMs >= toMs) return null;
  const thereShare = (toMs - Math.max(fromMs, beginsAtMs)) / (toMs - fromMs);
  return Math.floor(1_000 * Math.min(1, (countedMs ?? 0) / expected) * thereShare) / 1_000;
}
