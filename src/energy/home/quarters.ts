import { QUARTER_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { sumsOfQuarters } from '../usage/quarters.ts';
import type { Home } from './home.ts';
import { weighedParts } from './pieces.ts';
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

/**
 * What a home used in `[from, to)`, starts of quarter-hours, quarter-hour by quarter-hour: the law of a home (docs/home.md) on profiles as they
 * are packed, a row a device and day.
 */
export async function homeQuarters(db: Database, home: Home, range: { from: Date; to: Date }): Promise<HomeQuarters> {
  const fromMs = range.from.getTime();
  const count = (range.to.getTime() - fromMs) / QUARTER_MS;
  const sums = await sumsOfQuarters(db, weighedParts(home, range, SUMS), range, SUMS);
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
