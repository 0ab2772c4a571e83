import type { DecodedReading } from '#ingest/decoders/decoder.ts';
import type { BucketDeltas } from '#ingest/normalise/buckets.ts';
import { chooseRoles, type Roles } from '#ingest/normalise/channels.ts';
import { comparePoints, type LawSettings, type Point, type Verdict } from '#ingest/normalise/law.ts';
import { pointKey } from '#ingest/normalise/replay.ts';
import { collect } from '#ingest/write/collect.ts';
import { noReadingChanges, type ReadingStore } from '#ingest/write/reading-store.ts';
import type { Series } from '#ingest/write/series-store.ts';
import { isComputedAnew, type Outcome } from '#ingest/write/work-in.ts';
import { workInRounds } from '#ingest/write/work-in-rounds.ts';
import { MEASURE_NAMES, type Sums } from '#src/rollups/levels.ts';

/** A series as it is stored: what a transaction finds of it. */
interface StoredSeries {
  channel: string;
  kind: string;
  roles: Roles;
  lastReadAtMs: number | null;
  /** JSON, as the database keeps it. */
  tail: string | null;
  points: Map<string, Point>;
  verdicts: Map<string, Verdict>;
}

/** What was written of one device. */
export interface MemoryWriter {
  series: StoredSeries[];
  /** The load profile, by start of the quarter-hour in ms. */
  profile: BucketDeltas;
  write(readings: readonly DecodedReading[]): Promise<void>;
  /** The owner changes the device's settings; the next write computes its past anew. */
  set(settings: LawSettings): void;
}

/** The write path of one device without its database: its own decisions, on readings that are kept in memory. */
export function memoryWriter(given: LawSettings): MemoryWriter {
  let settings = given;
  let settingsBefore: LawSettings | null = null;
  const series: StoredSeries[] = [];
  const profile: BucketDeltas = new Map();
  const storedOf = (seriesId: number) => series[seriesId] as StoredSeries;
  const readings: ReadingStore = {
    load: async (wanted, beyond) =>
      wanted.map(({ seriesId, firstMs, lastMs }) => {
        const { points, verdicts } = storedOf(seriesId);
        const all = [...points.values()].sort(comparePoints);
        const restart = all.findLast((point) => point.readAtMs < firstMs && !verdicts.has(pointKey(point))) ?? null;
        const after = restart ? all.slice(all.indexOf(restart) + 1) : all;
        const within = after.filter((point) => point.readAtMs <= lastMs);
        const later = after.slice(within.length, within.length + beyond);
        return { restart, points: [...within, ...later], more: later.length >= beyond };
      }),
    async save({ inserts, lowered, cleared, notes }) {
      for (const { seriesId, point } of inserts) {
        if (storedOf(seriesId).points.has(pointKey(point))) throw new Error('duplicate key of readings');
      }
      for (const { seriesId, point } of [...inserts, ...lowered]) {
        const { readAtMs, intervalMs, value } = point;
        storedOf(seriesId).points.set(pointKey(point), { readAtMs, intervalMs, value });
      }
      for (const { seriesId, point } of cleared) storedOf(seriesId).verdicts.delete(pointKey(point));
      for (const { seriesId, point, verdict } of notes) storedOf(seriesId).verdicts.set(pointKey(point), verdict);
    },
  };

  return {
    series,
    profile,
    set(next) {
      settingsBefore ??= settings;
      settings = next;
    },
    async write(batch) {
      const deviceId = 'dev_1';
      const message = { topic: '', payload: Buffer.alloc(0), receivedAtMs: Number.MAX_SAFE_INTEGER };
      const messages = batch.map((one) => ({ ...message, decoded: { deviceId, readings: [one], rejections: [] } }));
      const collected = collect(messages, Number.NEGATIVE_INFINITY);
      const rolesBefore = series.map(({ roles }) => roles);
      const find = (one: { channel: string; kind: string }) =>
        series.findIndex(({ channel, kind }) => channel === one.channel && kind === one.kind);
      for (const one of collected.series) {
        if (find(one) >= 0) continue;
        const roles = { import: false, export: false };
        series.push({ ...one, roles, lastReadAtMs: null, tail: null, points: new Map(), verdicts: new Map() });
        rolesBefore.push(roles);
      }
      const chosen = chooseRoles(series);
      const work = series.map((stored, seriesId) => {
        const roles = chosen[seriesId] as Roles;
        const before = rolesBefore[seriesId] as Roles;
        const isSame = roles.import === before.import && roles.export === before.export;
        stored.roles = isSame ? before : roles;
        const { channel, kind, lastReadAtMs, tail } = stored;
        const found: Series = {
          seriesId,
          deviceId,
          channel,
          kind,
          roles: stored.roles,
          rolesBefore: before,
          settingsBefore: lastReadAtMs === null ? null : settingsBefore,
          lastReadAtMs,
          tail: tail === null ? null : JSON.parse(tail),
          closedUntilMs: null,
        };
        return { series: found, points: collected.series.find((one) => find(one) === seriesId)?.points ?? [] };
      });
      const device = { deviceId, userId: 'usr_1', settings, settingsBefore, wasNeverSeen: false, recentRejects: 0 };
      const outcome: Outcome = {
        changes: noReadingChanges(),
        rejects: collected.rejects,
        stored: 0,
        duplicates: collected.duplicates,
        deltas: new Map(),
      };
      const worked = work
        .filter((one) => one.points.length > 0 || (isComputedAnew(one.series) && one.series.lastReadAtMs !== null))
        .map((one) => ({ ...one, device }));
      await workInRounds(readings, worked, outcome);
      settingsBefore = null;
      for (const { series: one } of worked) {
        Object.assign(storedOf(one.seriesId), {
          lastReadAtMs: one.lastReadAtMs,
          tail: one.tail === null ? null : JSON.stringify(one.tail),
        });
      }
      for (const [startMs, delta] of outcome.deltas.get(deviceId) ?? []) add(profile, startMs, delta);
    },
  };
}

function add(profile: BucketDeltas, startMs: number, delta: Sums): void {
  const known = profile.get(startMs);
  const sum = { ...delta };
  for (const name of MEASURE_NAMES) sum[name] += known?.[name] ?? 0;
  profile.set(startMs, sum);
}
