import { classifyRegisters } from '#ingest/decoders/registers-of-a-device/classify.ts';
import { chooseSeriesRoles } from '#ingest/normalise/channels.ts';
import {
  createSeriesRolesByTime,
  findRangeOfSeriesRoleDifference,
  listSeriesRoleSpans,
  type SeriesRolesByTime,
} from '#ingest/normalise/roles-by-time.ts';
import type { Placement } from '#src/database/enums.ts';
import { findChannelSetting, getNativeQuantityName } from '#src/devices/channel-name.ts';
import { MANUAL_READING_INTERVAL_MARKER } from '#src/devices/edits/edit.ts';
import type { NewReading } from './collect.ts';
import type { DeviceState, SeriesState } from './device-state.ts';
import {
  extendReadingStretchBounds,
  findReadingStretch,
  mergeIntoStoredReadings,
  type ReadingStretch,
  type ReadingStretchBounds,
} from './stretch.ts';

const { NEGATIVE_INFINITY: ALWAYS, POSITIVE_INFINITY: NEVER } = Number;

/**
 * The roles of a series by time: the totals to which it should contribute. `meant`: the channel, from announced descriptions, that
 * determines the latest role. Null if the series' own channel determines it.
 */
export interface TargetSeriesRoles extends SeriesRolesByTime {
  readonly meant: string | null;
}

/**
 * Returns the roles of a device's series under the owner's current settings: the totals to which they should contribute. Series with
 * announced names are classified together. A series that appears later does not change the roles of earlier times. `series`: all series,
 * stored and new.
 */
export function computeTargetSeriesRoles(
  { channelSettings = {} }: Pick<DeviceState, 'channelSettings'>,
  series: readonly SeriesState[],
): TargetSeriesRoles[] {
  const times = [ALWAYS, ...timesOf(series)];
  const sets = times.map((ms) => judgedAfter(series, times.length > 1 ? Math.max(ms, times[1] as number) : ms));
  const chosen = sets.map((judged) =>
    chooseSeriesRoles(
      series.map((one) => {
        const meant = judged.get(one);
        const word = findChannelSetting(channelSettings, one);
        const placement = word.placement ?? (word.counts_as === undefined ? placementOf(meant) : undefined);
        return { ...one, channel: meant ?? one.channel, word: { ...word, ...(placement && { placement }) } };
      }),
    ),
  );
  return series.map((one, index) => {
    const spans = chosen.flatMap((roles, at) => {
      const untilMs = (times[at + 1] ?? NEVER) + 1;
      return listSeriesRoleSpans(roles[index] as SeriesRolesByTime).map((span) => ({
        ...span,
        untilMs: Math.min(span.untilMs, untilMs),
      }));
    });
    return { ...createSeriesRolesByTime(spans), meant: sets.at(-1)?.get(one) ?? null };
  });
}

/**
 * Returns the times (Unix ms, in order) of the first readings of series with an announced description. At each of these times, one more
 * series is classified (decision 0107).
 */
const timesOf = (series: readonly SeriesState[]): number[] =>
  [...new Set(series.flatMap(({ described, firstReadAtMs }) => (described ? (firstReadAtMs ?? []) : [])))].sort(
    (a, b) => a - b,
  );

/** What each circuit of a hybrid inverter measures. Such an inverter has registers of the grid, the solar panels and the battery. */
const PLACES: ReadonlyMap<string, Placement> = new Map([
  ['grid', 'grid'],
  ['pv', 'production'],
  ['battery', 'storage'],
]);
const placementOf = (meant: string | undefined): Placement | undefined =>
  PLACES.get(/(?:^|\/)([a-z]+)\/(?:import|export)(?:\/[tl]\d+)?$/.exec(meant ?? '')?.[1] ?? '');

/** Returns the channel of each series with an announced description, as classified immediately after a time (Unix ms). */
function judgedAfter(series: readonly SeriesState[], ms: number): Map<SeriesState, string> {
  const registers = series.flatMap((one) =>
    one.described ? [{ one, described: one.described, label: getNativeQuantityName(one) }] : [],
  );
  const there = registers.filter(({ one }) => (one.firstReadAtMs ?? ALWAYS) <= ms);
  return new Map(
    [...classifyRegisters(registers), ...classifyRegisters(there)].map(([{ one }, channel]) => [one, channel]),
  );
}

/** Returns the time range in which a series contributes to other totals (has another role) than it should. */
export function findRangesWithOutdatedRoles(
  device: Pick<DeviceState, 'channelSettings'>,
  series: readonly SeriesState[],
): Map<SeriesState, { fromMs: number; toMs: number }> {
  const target = computeTargetSeriesRoles(device, series);
  const open = new Map<SeriesState, { fromMs: number; toMs: number }>();
  for (const [index, one] of series.entries()) {
    const times = findRangeOfSeriesRoleDifference(one, target[index] as SeriesRolesByTime);
    if (times) open.set(one, times);
  }
  return open;
}

/**
 * Times of a series' first reading and of its first nonzero reading. The roles of all series in the same circuit (such as the solar panels)
 * depend on them.
 */
export type FirstReadingTimes = Pick<SeriesState, 'firstReadAtMs' | 'nonzeroAtMs'>;

/** Number of readings that are loaded at first to find one that is not 0. */
const FIRST_LOOK = 16;

export const canReadingsChangeFirstReadingTimes = (series: SeriesState, points: readonly NewReading[]): boolean =>
  (points[0]?.readAtMs ?? Number.POSITIVE_INFINITY) < (series.firstReadAtMs ?? Number.NEGATIVE_INFINITY) ||
  nonzeroChanges(series, points).length > 0;

/**
 * Returns the new readings that may change the time of a register's first nonzero reading: nonzero readings before it, or a 0 that replaces
 * its value.
 */
function nonzeroChanges({ kind, nonzeroAtMs }: SeriesState, points: readonly NewReading[]): readonly NewReading[] {
  if (kind !== 'register' || nonzeroAtMs === undefined) return [];
  const sinceMs = nonzeroAtMs ?? Number.POSITIVE_INFINITY;
  // All readings are after the first nonzero one.
  if ((points[0]?.readAtMs ?? Number.POSITIVE_INFINITY) > sinceMs) return [];
  return points.filter(({ readAtMs, value }) => (value === 0 ? readAtMs === sinceMs : readAtMs < sinceMs));
}

/**
 * Returns the times of a series' first reading and first nonzero reading after `points` are stored. If stored readings are needed, returns
 * the range to load. `points`: in order of time.
 */
export function computeFirstReadingTimes(
  series: SeriesState,
  points: readonly NewReading[],
  stretches: readonly ReadingStretch[],
): FirstReadingTimes | { wanted: ReadingStretchBounds } {
  const { firstReadAtMs, nonzeroAtMs, lastReadAtMs } = series;
  const [first] = points;
  if (!first || firstReadAtMs === undefined) return { firstReadAtMs, nonzeroAtMs };
  const isFirst = lastReadAtMs === null || (firstReadAtMs !== null && first.readAtMs < firstReadAtMs);
  const firsts = { firstReadAtMs: isFirst ? first.readAtMs : firstReadAtMs, nonzeroAtMs };
  const changes = nonzeroChanges(series, points);
  const [earliest, latest] = [changes[0], changes.at(-1)];
  if (!earliest || !latest) return firsts;
  const isApart =
    lastReadAtMs === null ||
    earliest.readAtMs > lastReadAtMs ||
    (isFirst && earliest.readAtMs < (firstReadAtMs as number));
  if (isApart && earliest.value !== 0) return { ...firsts, nonzeroAtMs: earliest.readAtMs };
  const bounds = { firstMs: earliest.readAtMs, lastMs: latest.readAtMs, lookFor: 'nonzero' as const };
  const stretch = findReadingStretch(stretches, bounds);
  if (!stretch) return { wanted: { ...bounds, back: 0, beyond: FIRST_LOOK } };
  const knownToMs = stretch.isToEnd
    ? Number.POSITIVE_INFINITY
    : Math.max(bounds.lastMs, stretch.points.at(-1)?.readAtMs ?? bounds.lastMs);
  const within = points.filter(({ readAtMs }) => readAtMs >= bounds.firstMs && readAtMs <= knownToMs);
  // Manual readings are ignored, because the device did not send them.
  const nonzero = mergeIntoStoredReadings(stretch.points, within).after.find(
    ({ intervalMs, value }) => intervalMs !== MANUAL_READING_INTERVAL_MARKER && value !== 0,
  );
  if (nonzero || stretch.isToEnd) return { ...firsts, nonzeroAtMs: nonzero?.readAtMs ?? null };
  return { wanted: extendReadingStretchBounds({ ...bounds, back: 0, beyond: stretch.beyond }, 'beyond') };
}
