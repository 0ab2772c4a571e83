import { createQueryFunctionOnConnection, type PoolClient } from '#src/database/connect.ts';
import type { EventBody } from '#src/events/bodies.ts';
import { addEvents } from '#src/events/outbox.ts';
import type { IncomingMessage, Rejection } from '../message.ts';
import type { LockedDevice } from './load.ts';
import { type BatchStatement, createBatchStatement } from './statement.ts';

/**
 * Returns the statements that update rows of `devices`: the state that a device reports, and whether its latest messages were accepted.
 * Adds the event `device.connected` for the first valid reading of a device. `validReadings`: number of valid readings by device.
 */
export function planDeviceStateUpdates(
  devices: ReadonlyMap<string, LockedDevice>,
  validReadings: ReadonlyMap<string, number>,
  batch: readonly IncomingMessage[],
  rejects: readonly Rejection[],
): { steps: BatchStatement[]; touched: string[] } {
  if (devices.size === 0) return { steps: [], touched: [] };
  const connected = [...devices.values()]
    .filter(({ deviceId, wasNeverSeen }) => wasNeverSeen && validReadings.has(deviceId))
    .map(({ deviceId }) => deviceId);
  const changed = statesAfter(devices, validReadings, batch, rejects);
  return {
    steps: [...stateSteps(changed), ...connectedEventSteps(connected)],
    touched: changed.map(({ deviceId }) => deviceId),
  };
}

interface ReportedState {
  deviceId: string;
  /** Outcomes of the device's latest readings, one bit each: 1 if rejected. */
  bits: number;
  reportsFaulty: boolean | null;
}

function statesAfter(
  devices: ReadonlyMap<string, LockedDevice>,
  validReadings: ReadonlyMap<string, number>,
  batch: readonly IncomingMessage[],
  rejects: readonly Rejection[],
): ReportedState[] {
  const rejected = new Map<string, number>();
  for (const { message } of rejects) {
    // The outcome of a replayed message was already recorded when the message arrived.
    if (message.judgedAtMs !== undefined) continue;
    const { deviceId } = message.decoded;
    rejected.set(deviceId, (rejected.get(deviceId) ?? 0) + 1);
  }
  const reportedFaulty = new Map<string, boolean>();
  for (const { decoded } of batch) {
    if (decoded.status === 'faulty' || decoded.status === 'online')
      reportedFaulty.set(decoded.deviceId, decoded.status === 'faulty');
  }
  return [...devices.values()]
    .map(({ deviceId, recentRejects }) => ({
      deviceId,
      before: recentRejects,
      bits: withOutcomes(recentRejects, validReadings.get(deviceId) ?? 0, rejected.get(deviceId) ?? 0),
      reportsFaulty: reportedFaulty.get(deviceId) ?? null,
    }))
    .filter(({ before, bits, reportsFaulty }) => bits !== before || reportsFaulty !== null);
}

function stateSteps(changes: readonly ReportedState[]): BatchStatement[] {
  if (changes.length === 0) return [];
  const text = `UPDATE devices d SET recent_rejects = c.bits, says_faulty = coalesce(c.says_faulty, d.says_faulty)
     FROM unnest($1::text[], $2::int[], $3::bool[]) c (device_id, bits, says_faulty)
     WHERE d.device_id = c.device_id`;
  const values = [
    changes.map(({ deviceId }) => deviceId),
    changes.map(({ bits }) => bits),
    changes.map(({ reportsFaulty }) => reportsFaulty),
  ];
  return [createBatchStatement({ text, values })];
}

const connectedEventSteps = (first: readonly string[]): BatchStatement[] =>
  first.length > 0 ? [(client) => addConnectedEvents(client, first)] : [];

/** Adds the event for the first valid message of a paired device. */
async function addConnectedEvents(client: PoolClient, deviceIds: readonly string[]): Promise<void> {
  // Raw SQL: uses the connection on which the transaction of the batch runs.
  const query = createQueryFunctionOnConnection(client);
  const { rows } = await query<Omit<EventBody<'device.connected'>, 'last_seen_at'> & { last_seen_at: Date }>(
    `SELECT device_id, d.user_id, type, location, CASE WHEN is_faulty THEN 'faulty' ELSE 'active' END AS status, h.seen_at AS last_seen_at, placement, upstream_device_id
     FROM devices d JOIN device_heads h USING (device_id) WHERE device_id = ANY ($1) ORDER BY device_id`,
    [deviceIds],
  );
  const events = rows.map((device) => ({
    type: 'device.connected' as const,
    userId: device.user_id,
    data: { ...device, last_seen_at: device.last_seen_at.toISOString() },
  }));
  await addEvents(query, events, new Date());
}

/**
 * Number of a device's latest outcomes that are stored. An outcome is a valid reading, or the rejection of a reading or of a whole message.
 * The column `is_faulty` assumes the same number.
 */
const STORED_OUTCOMES = 20;
const MASK = 2 ** STORED_OUTCOMES - 1;

/**
 * Adds the outcomes of a batch to the stored ones. A bit is 1 for a rejection. Rejections are distributed evenly, because their order is
 * unknown.
 */
function withOutcomes(bits: number, valid: number, rejected: number): number {
  const all = valid + rejected;
  let next = bits;
  for (let index = Math.max(0, all - STORED_OUTCOMES); index < all; index++) {
    const isRejected = Math.floor(((index + 1) * rejected) / all) > Math.floor((index * rejected) / all);
    next = ((next << 1) | (isRejected ? 1 : 0)) & MASK;
  }
  return next;
}
