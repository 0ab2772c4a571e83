import type { BucketDeltas } from '#ingest/normalise/buckets.ts';
import { addInterval } from '#ingest/normalise/buckets.ts';
import { comparePoints, type Law, type Point } from '#ingest/normalise/law.ts';
import { type Comparison, compare, pointKey, type Replay, replay } from '#ingest/normalise/replay.ts';
import { lawOfSeries } from '#ingest/normalise/series-law.ts';
import type { Reject } from '../message.ts';
import { CONFLICT, type NewPoint } from './collect.ts';
import type { ReadingChanges, Stretch } from './reading-store.ts';
import type { LockedDevice, Series } from './series-store.ts';

/** Where working in leaves its results. */
export interface Outcome {
  changes: ReadingChanges;
  rejects: Reject[];
  stored: number;
  duplicates: number;
  /** Differences to the load profile, by device. */
  deltas: Map<string, BucketDeltas>;
}

/** The law as the stored rows follow it, and as it is from now on: they differ where a role or a setting has just changed. */
const lawOf = (series: Series, device: LockedDevice, which: 'roles' | 'rolesBefore'): Law<unknown> | null => {
  const settings = which === 'rolesBefore' ? (series.settingsBefore ?? device.settings) : device.settings;
  return lawOfSeries(series.channel, series.kind, series[which], settings);
};

function deltasOf(outcome: Outcome, deviceId: string): BucketDeltas {
  let deltas = outcome.deltas.get(deviceId);
  if (!deltas) {
    deltas = new Map();
    outcome.deltas.set(deviceId, deltas);
  }
  return deltas;
}

/** Whether a role or a setting has just changed, so that the series is computed anew from its first reading. */
export function isComputedAnew(series: Series): boolean {
  return series.roles !== series.rolesBefore || series.settingsBefore !== null;
}

/** Whether all points come after everything known of the series, so that its law just goes on. */
export function followsTail(series: Series, points: readonly NewPoint[]): boolean {
  return series.lastReadAtMs === null || (points[0] as NewPoint).readAtMs > series.lastReadAtMs;
}

/** Readings in order, the usual case: the law goes on from where it stands, nothing is looked up. */
export function append(series: Series, device: LockedDevice, points: readonly NewPoint[], outcome: Outcome): void {
  const { seriesId } = series;
  for (const point of points) outcome.changes.inserts.push({ seriesId, point });
  outcome.stored += points.length;
  series.lastReadAtMs = (points.at(-1) as NewPoint).readAtMs;
  const law = lawOf(series, device, 'roles');
  if (!law) return;
  const run = replay(law, series.tail ?? law.initial, points);
  series.tail = run.state;
  for (const { point, verdict } of run.verdicts.values()) outcome.changes.notes.push({ seriesId, point, verdict });
  const deltas = deltasOf(outcome, series.deviceId);
  for (const interval of run.intervals) addInterval(deltas, interval, series.roles, 1);
}

/** What a set of new points changes in a stored stretch; duplicates and the higher of two values change nothing. */
export interface Merge {
  after: Point[];
  inserted: NewPoint[];
  lowered: NewPoint[];
  /** Losers against the stored value. */
  conflicts: NewPoint[];
  duplicates: number;
  /** Time of the last point that changed, -Infinity where nothing did. */
  lastChangeMs: number;
}

/** Adds new points to a stored stretch of the same series (the restart point is not part of it). Pure. */
export function merge(stored: readonly Point[], points: readonly NewPoint[]): Merge {
  const byKey = new Map(stored.map((point) => [pointKey(point), point]));
  const result: Merge = {
    after: [],
    inserted: [],
    lowered: [],
    conflicts: [],
    duplicates: 0,
    lastChangeMs: Number.NEGATIVE_INFINITY,
  };
  for (const point of points) {
    const known = byKey.get(pointKey(point));
    if (known && known.value === point.value) {
      result.duplicates++;
      continue;
    }
    if (known && known.value < point.value) {
      result.conflicts.push(point);
      continue;
    }
    (known ? result.lowered : result.inserted).push(point);
    byKey.set(pointKey(point), point);
    result.lastChangeMs = Math.max(result.lastChangeMs, point.readAtMs);
  }
  result.after = [...byKey.values()].sort(comparePoints);
  return result;
}

/** Stores the verdicts that differ between the two runs. */
function noteDifferences(series: Series, before: Replay, after: Replay, changes: ReadingChanges): void {
  const { seriesId } = series;
  for (const [key, { point, verdict }] of after.verdicts) {
    if (before.verdicts.get(key)?.verdict !== verdict) changes.notes.push({ seriesId, point, verdict });
  }
  for (const [key, { point }] of before.verdicts) {
    if (!after.verdicts.has(key)) changes.cleared.push({ seriesId, point });
  }
}

/**
 * Late readings, and series whose role changed: replays the stretch as it was and as it is now, and records the
 * difference. Returns false, having recorded nothing, where the stretch is too short to tell: the two runs have not met
 * and the series goes on.
 */
export function workIn(
  series: Series,
  device: LockedDevice,
  points: readonly NewPoint[],
  stretch: Stretch,
  outcome: Outcome,
): boolean {
  const { seriesId } = series;
  const merged = merge(stretch.points, points);
  const computedAnew = isComputedAnew(series);
  const changed = merged.inserted.length + merged.lowered.length > 0 || computedAnew;
  if (changed) {
    const laws = { before: lawOf(series, device, 'rolesBefore'), after: lawOf(series, device, 'roles') };
    const stretches = { before: stretch.points, after: merged.after };
    const lastChangeMs = computedAnew ? Number.POSITIVE_INFINITY : merged.lastChangeMs;
    const counted = laws.before !== null || laws.after !== null;
    const comparison: Comparison = compare(laws, stretch.restart, stretches, lastChangeMs);
    if (counted && !comparison.met && stretch.more) return false;
    const { before, after, met } = comparison;
    noteDifferences(series, before, after, outcome.changes);
    const deltas = deltasOf(outcome, series.deviceId);
    for (const interval of before.intervals) addInterval(deltas, interval, series.rolesBefore, -1);
    for (const interval of after.intervals) addInterval(deltas, interval, series.roles, 1);
    if (!met) series.tail = laws.after ? after.state : null;
    const lastMs = merged.after.at(-1)?.readAtMs;
    if (lastMs !== undefined) series.lastReadAtMs = Math.max(series.lastReadAtMs ?? lastMs, lastMs);
    series.rolesBefore = series.roles;
    series.settingsBefore = null;
  }
  for (const point of merged.inserted) outcome.changes.inserts.push({ seriesId, point });
  for (const point of merged.lowered) outcome.changes.lowered.push({ seriesId, point });
  for (const { message, element } of merged.conflicts) outcome.rejects.push({ message, element, reason: CONFLICT });
  for (const { message, element } of merged.lowered) {
    outcome.rejects.push({ message, element, reason: `a higher value, stored before, gave way: ${CONFLICT}` });
  }
  outcome.stored += merged.inserted.length + merged.lowered.length;
  outcome.duplicates += merged.duplicates;
  return true;
}
