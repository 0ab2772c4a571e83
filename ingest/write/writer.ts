import { createGatewayHearing } from '#ingest/gateways/hear.ts';
import type { Pool, PoolClient } from '#src/database/connect.ts';
import { retentionStartMs } from '#src/database/history.ts';
import { inTransaction } from '#src/database/transaction.ts';
import type { IncomingMessage, Reject, WriteResult } from '../message.ts';
import { type Collected, collect, type NewPoint, type SeriesBatch } from './collect.ts';
import { applyDeltas, deltaRows } from './deltas.ts';
import type { Keeping } from './keeping.ts';
import { MissingPartitions, type PartitionMonths, partitionMonths } from './partition-months.ts';
import { noReadingChanges, readingStore } from './reading-store.ts';
import { saveRejects } from './rejected.ts';
import {
  type LockedDevice,
  loadSeries,
  lockDevices,
  type Series,
  saveTails,
  seriesKey,
  settingsApplied,
} from './series-store.ts';
import { touchDevices } from './touch-devices.ts';
import { isComputedAnew, type Outcome } from './work-in.ts';
import { workInRounds } from './work-in-rounds.ts';

export type { IncomingMessage, WriteResult } from '../message.ts';

/** Transactions that lost to a neighbour (deadlock, serialisation) or lacked a partition are begun again so often. */
const ATTEMPTS = 8;
const BEGIN_AGAIN = new Set(['40P01', '40001']);

export interface Writer {
  /**
   * Writes a batch in one transaction: readings, load profile, aggregates, rejections. Resolves when it is committed;
   * only then may the messages be acknowledged. Rejects where the database fails, and then nothing of it is stored.
   * Any number of writers may run on the same devices, and a batch may come any number of times.
   */
  write(batch: readonly IncomingMessage[]): Promise<WriteResult>;
}

/**
 * `retentionMonths`: age beyond which readings are rejected. `keeping`: which rejections are kept (all of them). `now`: clock,
 * Unix ms.
 */
export function createWriter(
  pool: Pool,
  options: { retentionMonths?: number; keeping?: Keeping; now?: () => number } = {},
): Writer {
  const { retentionMonths = 13, keeping, now = Date.now } = options;

  const months = partitionMonths(pool);
  const gateways = createGatewayHearing();
  return {
    async write(batch) {
      for (let attempt = 1; ; attempt++) {
        const oldestMs = retentionStartMs(now(), retentionMonths);
        let undoKeeping = () => {};
        const kept = (rejects: readonly Reject[]): readonly Reject[] => {
          if (!keeping) return rejects;
          const chosen = keeping.of(rejects, now());
          undoKeeping = () => keeping.undo(rejects, chosen);
          return chosen;
        };
        try {
          return await inTransaction(pool, async (client) => {
            const messages = await gateways.hear(client, batch);
            return writeCollected(client, messages, collect(messages, oldestMs), { months, kept });
          });
        } catch (error) {
          gateways.forget(batch);
          undoKeeping();
          if (error instanceof MissingPartitions) await months.make(error);
          else if (attempt >= ATTEMPTS || !BEGIN_AGAIN.has((error as { code?: string }).code ?? '')) throw error;
        }
      }
    },
  };
}

async function writeCollected(
  client: PoolClient,
  batch: readonly IncomingMessage[],
  collected: Collected,
  { months, kept }: { months: PartitionMonths; kept: (rejects: readonly Reject[]) => readonly Reject[] },
): Promise<WriteResult> {
  const deviceIds = [...new Set(batch.map((message) => message.decoded.deviceId))];
  const devices = await lockDevices(client, deviceIds);
  const outcome: Outcome = {
    changes: noReadingChanges(),
    rejects: [...collected.rejects, ...fromUnknownDevices(batch, devices)],
    stored: 0,
    duplicates: collected.duplicates,
    deltas: new Map(),
  };
  const known = collected.series.filter(({ deviceId }) => devices.has(deviceId));
  if (known.length > 0) {
    const touched = await workInSeries(client, known, devices, months, outcome);
    const rows = deltaRows(outcome.deltas, devices);
    months.check(rows.map((row) => row.startsAtMs));
    await applyDeltas(client, rows);
    await saveTails(client, touched);
  }
  const heard = new Map<string, number>();
  for (const { deviceId, points } of known) heard.set(deviceId, (heard.get(deviceId) ?? 0) + points.length);
  await touchDevices(client, devices, heard, batch, outcome.rejects);
  await saveRejects(client, kept(outcome.rejects));
  return { stored: outcome.stored, duplicates: outcome.duplicates, rejected: outcome.rejects.length };
}

/** Works the batch into its series and into those whose role it changed. Returns all of them. */
async function workInSeries(
  client: PoolClient,
  known: readonly SeriesBatch[],
  devices: Map<string, LockedDevice>,
  months: PartitionMonths,
  outcome: Outcome,
): Promise<Series[]> {
  const deviceIds = [...new Set(known.map(({ deviceId }) => deviceId))];
  const { byKey, changedRoles } = await loadSeries(client, deviceIds, known);
  const pointsOf = new Map(
    known.map((batch) => {
      const series = byKey.get(seriesKey(batch)) as Series;
      return [series, withoutClosed(series, batch.points, outcome)];
    }),
  );
  const computedAnew = changedRoles.filter((series) => series.lastReadAtMs !== null);
  for (const series of computedAnew) if (!pointsOf.has(series)) pointsOf.set(series, []);
  await noteComputedAnew(client, computedAnew);
  // Changed settings hold for the past, too: every series of the device is computed anew.
  for (const series of byKey.values()) {
    const { settingsBefore } = devices.get(series.deviceId) as LockedDevice;
    if (settingsBefore === null || series.lastReadAtMs === null) continue;
    series.settingsBefore = settingsBefore;
    if (!pointsOf.has(series)) pointsOf.set(series, []);
  }
  const changed = [...devices.values()].filter(({ settingsBefore }) => settingsBefore !== null);
  await settingsApplied(
    client,
    changed.map(({ deviceId }) => deviceId),
  );
  const work = [...pointsOf]
    .filter(([series, points]) => points.length > 0 || isComputedAnew(series))
    .map(([series, points]) => ({ series, points, device: devices.get(series.deviceId) as LockedDevice }));
  await workInRounds(readingStore(client, months), work, outcome);
  return work.map(({ series }) => series);
}

/** Refuses what retention has closed (it was longer once, or a clock was wrong). */
function withoutClosed({ closedUntilMs }: Series, points: readonly NewPoint[], { rejects }: Outcome): NewPoint[] {
  if (closedUntilMs === null) return [...points];
  const [closed, open] = [
    points.filter((p) => p.readAtMs <= closedUntilMs),
    points.filter((p) => p.readAtMs > closedUntilMs),
  ];
  const reason = 'time is older than the readings that are kept of this series';
  for (const { message, element } of closed) rejects.push({ message, element, reason });
  return open;
}

/** Tells the owner that a channel's energy now comes from elsewhere, and its past was computed anew. */
async function noteComputedAnew(client: PoolClient, series: readonly Series[]): Promise<void> {
  if (series.length === 0) return;
  // Raw SQL: the hot path of ingest: a function of the schema over arrays.
  await client.query(
    `INSERT INTO quantity_changes (device_id, channel, noted_at, note)
     SELECT device_id, channel, now(), note FROM unnest($1::text[], $2::text[], $3::text[]) n (device_id, channel, note)
     ON CONFLICT DO NOTHING`,
    [
      series.map((s) => s.deviceId),
      series.map((s) => s.channel),
      series.map((s) => `a better quantity appeared: ${s.kind} of this channel counted anew`),
    ],
  );
}

function fromUnknownDevices(batch: readonly IncomingMessage[], devices: Map<string, LockedDevice>): Reject[] {
  return batch
    .filter(({ decoded }) => decoded.readings.length > 0 && !devices.has(decoded.deviceId))
    .map((message) => ({ message, element: null, reason: 'unknown or deleted device' }));
}
