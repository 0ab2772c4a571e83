import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { sumWeightedQuarterHours } from '../usage/quarter-hours.ts';
import type { Home } from './home.ts';
import { listWeightedTimeRanges } from './role-periods.ts';
import { computeExpectedCoverageMs, type ExpectedChannelMsFunction } from './roles.ts';
import { computeHomeUsage, createUsageSums, type HomeSumName, USAGE_SUM_NAMES, type UsageSumName } from './sums.ts';

/** Energies of a home (mWh) and ratios, by quarter-hour (UTC). */
export interface HomeQuarterHours {
  /** NaN if unknown. */
  used: Float64Array;
  /** Part of `used` that was spread over a time without readings. */
  estimated: Float64Array;
  /** Known time ÷ expected time. NaN: no data are expected. */
  coverage: Float64Array;
  /** NaN if unknown. */
  production: Float64Array;
  /** The sums from which `used` is computed. For the usage of a longer time, add up the sums first. */
  usedSums: Record<UsageSumName, Float64Array>;
}

const SUMS = [...USAGE_SUM_NAMES, 'production', 'productionMs', 'countedMs'] as const satisfies readonly HomeSumName[];

/** Returns the usage of a home by quarter-hour. Both times must be starts of quarter-hours. */
export async function readHomeQuarterHours(
  db: Database,
  home: Home,
  range: { from: Date; to: Date },
): Promise<HomeQuarterHours> {
  const fromMs = range.from.getTime();
  const count = (range.to.getTime() - fromMs) / QUARTER_HOUR_MS;
  const sums = await sumWeightedQuarterHours(db, listWeightedTimeRanges(home, range, SUMS), range, SUMS);
  const expected = computeExpectedMsByQuarterHour(home, fromMs, count);
  const list = () => new Float64Array(count).fill(Number.NaN);
  const quarters: HomeQuarterHours = {
    ...{ used: list(), estimated: list(), coverage: list(), production: list() },
    usedSums: sums,
  };
  for (let at = 0; at < count; at++) {
    const of = (name: (typeof SUMS)[number]) => sums[name][at] as number;
    const used = computeHomeUsage(createUsageSums(of));
    if (used !== null) {
      quarters.used[at] = used;
      quarters.estimated[at] = Math.min(of('estimated'), used);
    }
    if ((expected[at] as number) > 0) quarters.coverage[at] = of('countedMs') / (expected[at] as number);
    if (of('productionMs') > 0) quarters.production[at] = of('production');
  }
  return quarters;
}

/**
 * Returns the time in ms for which data are expected in each quarter-hour, from the channels that contribute to the home's usage or from
 * `channels`.
 */
export function computeExpectedMsByQuarterHour(
  { devices, stretches }: Home,
  fromMs: number,
  count: number,
  channels?: ExpectedChannelMsFunction,
): Float64Array {
  const toMs = fromMs + count * QUARTER_HOUR_MS;
  const bounds = [
    ...stretches.map((stretch) => stretch.fromMs),
    ...devices.flatMap(({ beginsAtMs, endsAtMs }) => [beginsAtMs ?? fromMs, endsAtMs ?? toMs]),
    // Quarter-hours in which the contributing channels change are computed separately.
    ...devices.flatMap(({ counted }) =>
      counted.flatMap((span) => {
        const quarters = (span.fromMs - fromMs) / QUARTER_HOUR_MS;
        return [fromMs + Math.floor(quarters) * QUARTER_HOUR_MS, fromMs + Math.ceil(quarters) * QUARTER_HOUR_MS];
      }),
    ),
  ].filter((ms) => ms > fromMs && ms < toMs);
  const expected = new Float64Array(count);
  const starts = [...new Set([fromMs, ...bounds])].toSorted((a, b) => a - b);
  for (const [index, startMs] of starts.entries()) {
    const endMs = starts[index + 1] ?? toMs;
    const ms = computeExpectedCoverageMs(
      devices,
      stretches,
      { fromMs: startMs, toMs: startMs + QUARTER_HOUR_MS },
      channels,
    );
    expected.fill(ms, (startMs - fromMs) / QUARTER_HOUR_MS, (endMs - fromMs) / QUARTER_HOUR_MS);
  }
  return expected;
}
