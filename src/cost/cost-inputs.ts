import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import { type DayRange, splitQuarterHours } from '#src/energy/ranges.ts';
import { createPriceLookup, type PackedPrices } from '#src/tariffs/packed-days.ts';
import type { Tariff } from '#src/tariffs/tariff.ts';
import type { BoughtEnergy, BoughtEnergySource } from './bought-energy.ts';
import {
  type CostSources,
  findPeakEnergy,
  getCostedTimeRange,
  getMonthRange,
  getStartOfMonth,
  roundUpToQuarterHour,
} from './sums.ts';

/** Energy and prices in memory: plain data that can be sent to a worker thread. */
export interface CostInputs {
  zone: string;
  /** Start of the first quarter-hour with data, Unix ms. Null if there are none. */
  beginsAtMs: number | null;
  /**
   * Energy of the range, and of earlier months whose peaks affect capacity charges. If two elements overlap, the element that is later in
   * the list applies.
   */
  stretches: BoughtEnergy[];
  prices: PackedPrices[];
}

/** Splits `[fromMs, toMs)` into chunks, calls `read` for each, and joins the lists that it returns. Null if the range is empty. */
export async function readQuarterHoursInChunks<Name extends string>(
  { fromMs, toMs }: { fromMs: number; toMs: number },
  read: (chunk: { from: Date; to: Date }) => Promise<Record<Name, Float64Array>>,
  signal: AbortSignal,
): Promise<Record<Name, Float64Array> | null> {
  const count = (toMs - fromMs) / QUARTER_HOUR_MS;
  let all: Record<Name, Float64Array> | null = null;
  for await (const range of splitQuarterHours(fromMs, toMs)) {
    signal.throwIfAborted();
    const chunk = await read(range);
    const names = Object.keys(chunk) as Name[];
    all ??= Object.fromEntries(names.map((name) => [name, new Float64Array(count)])) as Record<Name, Float64Array>;
    for (const name of names) all[name].set(chunk[name], (range.from.getTime() - fromMs) / QUARTER_HOUR_MS);
  }
  return all;
}

/** Reads the energy of a range up to now and, if a tariff averages peaks of earlier months, of these months. */
export async function loadEnergyOfRange(
  meter: BoughtEnergySource,
  tariffs: readonly Tariff[],
  asked: { range: DayRange; zone: string; now: Date },
  signal: AbortSignal,
): Promise<BoughtEnergy[]> {
  const earlier = await loadEnergyOfEarlierMonths(meter, tariffs, asked, signal);
  const { fromMs, toMs } = getCostedTimeRange(asked.range, asked.now);
  const read = async (chunk: { from: Date; to: Date }) => {
    const { imported, estimated, exported, coveredMs } = await meter.boughtIn(chunk);
    return { imported, estimated, exported, coveredMs };
  };
  const lists = await readQuarterHoursInChunks({ fromMs, toMs }, read, signal);
  return lists ? [...earlier, { fromMs, ...lists }] : earlier;
}

/** Reads the energy of the earlier months whose peaks a capacity charge averages. */
export async function loadEnergyOfEarlierMonths(
  meter: BoughtEnergySource,
  tariffs: readonly Tariff[],
  { range, zone, now }: { range: DayRange; zone: string; now: Date },
  signal: AbortSignal,
): Promise<BoughtEnergy[]> {
  const wanted = Math.max(0, ...tariffs.map(({ capacity }) => capacity?.monthsAveraged ?? 0)) - 1;
  const begun = getStartOfMonth(range.from, zone);
  const isWhole = getMonthRange(begun, zone).from >= range.from;
  const first = getMonthRange(isWhole ? begun : begun.plus({ months: 1 }), zone).from;
  if (first >= range.to || first > now) return [];
  const months: BoughtEnergy[] = [];
  for (let month = isWhole ? begun.minus({ months: 1 }) : begun, found = 0; found < wanted; ) {
    const { from, to } = getMonthRange(month, zone);
    if (meter.beginsAtMs === null || to.getTime() <= meter.beginsAtMs) break;
    signal.throwIfAborted();
    const energy = await meter.boughtIn({
      from: new Date(roundUpToQuarterHour(from)),
      to: new Date(roundUpToQuarterHour(to)),
    });
    const hasPeak = findPeakEnergy(energy) !== null;
    if (hasPeak) months.unshift(energy);
    if (hasPeak && to <= range.from) found++;
    month = month.minus({ months: 1 });
  }
  return months;
}

/** Returns the inputs of a cost computation from data in memory. */
export const createCostSourcesFromInputs = (
  { zone, beginsAtMs, stretches, prices }: CostInputs,
  tariffs: readonly Tariff[],
): CostSources<number> => ({
  tariffs,
  zone,
  isHome: true,
  meter: {
    beginsAtMs,
    boughtIn: async (range) => extractEnergyOfRange(stretches, range, (count) => new Float64Array(count)),
  },
  pricesIn: lookupOf(prices),
});

/** The price lookup is created only once per list of prices. */
const lookups = new WeakMap<readonly PackedPrices[], ReturnType<typeof createPriceLookup>>();
function lookupOf(prices: readonly PackedPrices[]): CostSources['pricesIn'] {
  const lookup = lookups.get(prices) ?? createPriceLookup(prices);
  lookups.set(prices, lookup);
  return async () => lookup;
}

/**
 * Returns the energy of a range. If two elements of the list overlap, the element that is later in the list applies. Unknown quarter-hours
 * are 0. `list`: creates a list of zeros.
 */
export function extractEnergyOfRange<Energy extends number | bigint>(
  stretches: readonly BoughtEnergy<Energy>[],
  range: { from: Date; to: Date },
  list: (count: number) => BoughtEnergy<Energy>['imported'],
): BoughtEnergy<Energy> {
  const fromMs = range.from.getTime();
  const count = (range.to.getTime() - fromMs) / QUARTER_HOUR_MS;
  const into = {
    imported: list(count),
    estimated: list(count),
    exported: list(count),
    coveredMs: new Float64Array(count),
  };
  for (const stretch of stretches) {
    const offset = (fromMs - stretch.fromMs) / QUARTER_HOUR_MS;
    const first = Math.max(0, -offset);
    const end = Math.min(count, stretch.imported.length - offset);
    for (const [name, values] of Object.entries<{ [at: number]: number | bigint }>(into))
      for (let at = first; at < end; at++)
        values[at] = stretch[name as keyof typeof into][at + offset] as number | bigint;
  }
  return { fromMs, ...into };
}
