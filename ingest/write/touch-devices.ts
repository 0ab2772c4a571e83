import { type PoolClient, queryOn } from '#src/database/connect.ts';
import { addEvents } from '#src/events/outbox.ts';
import type { IncomingMessage, Reject } from '../message.ts';
import type { LockedDevice } from './load.ts';
import { isMostlyRejected, withOutcomes } from './recent-rejects.ts';

/**
 * Notes what a batch changes of devices beside their heads: `inactive` becomes `active` with a valid reading, the first one is
 * told as `device.connected`, and what a device says of its own state holds. `devices`: those that are locked; `heard`: their
 * valid readings. Answers which of them it changed.
 */
export async function touchDevices(
  client: PoolClient,
  devices: ReadonlyMap<string, LockedDevice>,
  heard: ReadonlyMap<string, number>,
  batch: readonly IncomingMessage[],
  rejects: readonly Reject[],
): Promise<Set<string>> {
  const ofHeard = (is: (device: LockedDevice) => boolean) =>
    [...devices.values()].filter((device) => heard.has(device.deviceId) && is(device)).map(({ deviceId }) => deviceId);
  const risen = ofHeard(({ isInactive }) => isInactive);
  if (risen.length > 0) {
    // Raw SQL: the hot path of ingest: any number of devices is one statement, over an array.
    await client.query(`UPDATE devices SET status = 'active' WHERE device_id = ANY ($1)`, [risen]);
  }
  const noted = await noteStates(client, devices, heard, batch, rejects);
  const first = ofHeard(({ wasNeverSeen }) => wasNeverSeen);
  if (first.length > 0) await tellConnected(client, first);
  return new Set([...risen, ...noted]);
}

/**
 * A device is faulty while it says so, and while most of its last readings were rejected. Keeps both, where either changes
 * or any of the last was rejected. Answers of which devices.
 */
async function noteStates(
  client: PoolClient,
  devices: ReadonlyMap<string, LockedDevice>,
  heard: ReadonlyMap<string, number>,
  batch: readonly IncomingMessage[],
  rejects: readonly Reject[],
): Promise<string[]> {
  const rejected = new Map<string, number>();
  for (const { message } of rejects) {
    const { deviceId } = message.decoded;
    rejected.set(deviceId, (rejected.get(deviceId) ?? 0) + 1);
  }
  const said = new Map<string, boolean>();
  for (const { decoded } of batch) {
    if (decoded.status === 'faulty' || decoded.status === 'online')
      said.set(decoded.deviceId, decoded.status === 'faulty');
  }
  const changes = [...devices.values()]
    .map(({ deviceId, recentRejects }) => ({
      deviceId,
      before: recentRejects,
      bits: withOutcomes(recentRejects, heard.get(deviceId) ?? 0, rejected.get(deviceId) ?? 0),
      saysFaulty: said.get(deviceId) ?? null,
    }))
    .filter(({ before, bits, saysFaulty }) => bits !== before || saysFaulty !== null);
  const changed = changes.map(({ deviceId }) => deviceId);
  if (changed.length === 0) return [];
  await client.query(
    `UPDATE devices d SET recent_rejects = c.bits, says_faulty = coalesce(c.says_faulty, d.says_faulty),
       status = CASE WHEN coalesce(c.says_faulty, d.says_faulty) OR c.is_bad THEN 'faulty'
         WHEN d.status = 'faulty' THEN 'active' ELSE d.status END
     FROM unnest($1::text[], $2::int[], $3::bool[], $4::bool[]) c (device_id, bits, says_faulty, is_bad)
     WHERE d.device_id = c.device_id`,
    [
      changed,
      changes.map(({ bits }) => bits),
      changes.map(({ saysFaulty }) => saysFaulty),
      changes.map(({ bits }) => isMostlyRejected(bits)),
    ],
  );
  return changed;
}

/** The event of a paired device's first valid message: the device as the API shows it. */
async function tellConnected(client: PoolClient, deviceIds: readonly string[]): Promise<void> {
  const query = queryOn(client);
  const { rows } = await query<{ user_id: string; last_seen_at: Date; device_id: string }>(
    `SELECT d.user_id, device_id, type, location, status, h.seen_at AS last_seen_at
     FROM devices d JOIN device_heads h USING (device_id) WHERE device_id = ANY ($1) ORDER BY device_id`,
    [deviceIds],
  );
  const events = rows.map(({ user_id, ...device }) => ({
    type: 'device.connected' as const,
    userId: user_id,
    data: { ...device, last_seen_at: device.last_seen_at.toISOString() },
  }));
  await addEvents(query, events, new Date());
}
