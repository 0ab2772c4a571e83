import { QUARTER_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import type { Measure } from '#src/rollups/levels.ts';
import { type Quarters, quartersOf } from '#src/rollups/quarters.ts';
import type { Home } from './home.ts';
import { type WeighedPart, weighedParts } from './pieces.ts';
import { expectedMs } from './roles.ts';
import { type HomeSum, usedOf } from './sums.ts';

/** Quarter-hours (UTC) of a home, in order. mWh, and shares of time. */
export interface HomeQuarters {
  /** NaN: nothing is known of it. */
  used: Float64Array;
  /** Part of it that was spread over a gap. */
  estimated: Float64Array;
  /** Of the channels that count towards it, the time that is known ÷ the time in which they should be; NaN: nothing is to be known. */
  coverage: Float64Array;
  /** NaN: nothing is known of it, or the home had nothing that produces. */
  production: Float64Array;
}

const SUMS = [
  'balance',
  'floor',
  'alone',
  'estimated',
  'gridMs',
  'aloneMs',
  'production',
  'productionMs',
  'countedMs',
] as const satisfies readonly HomeSum[];

/** The measure that a weight is of. */
const MEASURE_OF = {
  imported: 'energyMilliwattHours',
  exported: 'exportMilliwattHours',
  estimated: 'estimatedMilliwattHours',
  importMs: 'coveredMs',
  exportMs: 'exportCoveredMs',
} as const satisfies Record<string, Measure>;
const MEASURES = Object.values(MEASURE_OF);
type Weight = keyof typeof MEASURE_OF;

type Sums = Record<(typeof SUMS)[number], Float64Array>;

/**
 * What a home used in `[from, to)`, starts of quarter-hours, quarter-hour by quarter-hour: the law of a home (docs/home.md) on profiles as they
 * are packed, a row a device and day.
 */
export async function homeQuarters(db: Database, home: Home, range: { from: Date; to: Date }): Promise<HomeQuarters> {
  const fromMs = range.from.getTime();
  const count = (range.to.getTime() - fromMs) / QUARTER_MS;
  const parts = weighedParts(home, range, SUMS);
  const sums = Object.fromEntries(SUMS.map((name) => [name, new Float64Array(count)])) as Sums;
  for (const key of ['user_id', 'device_id'] as const) {
    const ofKey = parts.filter((part) => part.key === key);
    if (ofKey.length === 0) continue;
    const profiles = await quartersOf(db, { key, ids: [...new Set(ofKey.map(({ id }) => id))] }, range, MEASURES);
    for (const part of ofKey) addPart(sums, part, profiles.get(part.id), fromMs, count);
  }
  const expected = expectedOf(home, fromMs, count);
  const list = () => new Float64Array(count).fill(Number.NaN);
  const quarters: HomeQuarters = { used: list(), estimated: list(), coverage: list(), production: list() };
  for (let at = 0; at < count; at++) {
    const of = (name: (typeof SUMS)[number]) => sums[name][at] as number;
    const used = usedOf({
      balance: of('balance'),
      floor: of('floor'),
      alone: of('alone'),
      estimated: of('estimated'),
      gridMs: of('gridMs'),
      aloneMs: of('aloneMs'),
    });
    if (used !== null) {
      quarters.used[at] = used;
      quarters.estimated[at] = Math.min(of('estimated'), used);
    }
    if ((expected[at] as number) > 0) quarters.coverage[at] = of('countedMs') / (expected[at] as number);
    if (of('productionMs') > 0) quarters.production[at] = of('production');
  }
  return quarters;
}

function addPart(
  sums: Sums,
  part: WeighedPart,
  profile: Quarters<(typeof MEASURES)[number]> | undefined,
  fromMs: number,
  count: number,
): void {
  if (!profile) return;
  // Stretches begin and end with quarter-hours (roles.ts), but for the first and the last.
  const first = Math.max(0, (part.fromMs - fromMs) / QUARTER_MS);
  const end = Math.min(count, (part.toMs - fromMs) / QUARTER_MS);
  for (const name of SUMS) {
    for (const [weight, times] of Object.entries(part.weights[name]) as [Weight, number][]) {
      if (times === 0) continue;
      const [into, from] = [sums[name], profile[MEASURE_OF[weight]]];
      for (let at = first; at < end; at++) into[at] = (into[at] as number) + times * (from[at] as number);
    }
  }
}

/** For how long the counted channels should be known in each quarter-hour, ms: the same between two changes of what counts. */
function expectedOf({ devices, stretches }: Home, fromMs: number, count: number): Float64Array {
  const toMs = fromMs + count * QUARTER_MS;
  const bounds = [
    ...stretches.map((stretch) => stretch.fromMs),
    ...devices.flatMap(({ beginsAtMs, endsAtMs }) => [beginsAtMs ?? fromMs, endsAtMs ?? toMs]),
    // The quarter-hour in which something else begins to count is one of its own.
    ...devices.flatMap(({ counted }) =>
      counted.flatMap((span) => {
        const quarters = (span.fromMs - fromMs) / QUARTER_MS;
        return [fromMs + Math.floor(quarters) * QUARTER_MS, fromMs + Math.ceil(quarters) * QUARTER_MS];
      }),
    ),
  ].filter((ms) => ms > fromMs && ms < toMs);
  const expected = new Float64Array(count);
  const starts = [...new Set([fromMs, ...bounds])].toSorted((a, b) => a - b);
  for (const [index, startMs] of starts.entries()) {
    const endMs = starts[index + 1] ?? toMs;
    const ms = expectedMs(devices, stretches, { fromMs: startMs, toMs: startMs + QUARTER_MS });
    expected.fill(ms, (startMs - fromMs) / QUARTER_MS, (endMs - fromMs) / QUARTER_MS);
  }
  return expected;
}
