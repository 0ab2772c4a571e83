import { type PoolClient, queryOn } from '#src/database/connect.ts';
import { addEvents } from '#src/events/outbox.ts';
import type { IncomingMessage, Reject } from '../message.ts';
import type { LockedDevice } from './load.ts';
import { isMostlyRejected, withOutcomes } from './recent-rejects.ts';

/**
 * Notes that devices were heard: `last_seen_at` (to ten seconds, to spare a write per batch), `inactive` becomes
 * `active` with a valid reading, the first one is told as `device.connected`, and what a device says of its own state
 * holds. `heard`: valid readings by device.
 */
export async function touchDevices(
  client: PoolClient,
  devices: ReadonlyMap<string, LockedDevice>,
  heard: ReadonlyMap<string, number>,
  batch: readonly IncomingMessage[],
  rejects: readonly Reject[],
): Promise<void> {
  if (heard.size > 0) {
    // Raw SQL: the hot path of ingest: any number of devices is one statement, by unnest.
    await client.query(
      `UPDATE devices SET last_seen_at = now(), status = CASE status WHEN 'inactive' THEN 'active' ELSE status END
       WHERE device_id = ANY ($1)
         AND (last_seen_at IS NULL OR last_seen_at < now() - interval '10 seconds' OR status = 'inactive')`,
      [[...heard.keys()]],
    );
  }
  await noteStates(client, devices, heard, batch, rejects);
  const first = [...heard.keys()].filter((deviceId) => devices.get(deviceId)?.wasNeverSeen);
  if (first.length > 0) await tellConnected(client, first);
}

/**
 * A device is faulty while it says so, and while most of its last readings were rejected. Keeps both, where either changes
 * or any of the last was rejected.
 */
async function noteStates(
  client: PoolClient,
  devices: ReadonlyMap<string, LockedDevice>,
  heard: ReadonlyMap<string, number>,
  batch: readonly IncomingMessage[],
  rejects: readonly Reject[],
): Promise<void> {
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
  if (changes.length === 0) return;
  await client.query(
    `UPDATE devices d SET recent_rejects = c.bits, says_faulty = coalesce(c.says_faulty, d.says_faulty),
       status = CASE WHEN coalesce(c.says_faulty, d.says_faulty) OR c.is_bad THEN 'faulty'
         WHEN d.status = 'faulty' THEN 'active' ELSE d.status END
     FROM unnest($1::text[], $2::int[], $3::bool[], $4::bool[]) c (device_id, bits, says_faulty, is_bad)
     WHERE d.device_id = c.device_id`,
    [
      changes.map(({ deviceId }) => deviceId),
      changes.map(({ bits }) => bits),
      changes.map(({ saysFaulty }) => saysFaulty),
      changes.map(({ bits }) => isMostlyRejected(bits)),
    ],
  );
}

/** The event of a paired device's first valid message: the device as the API shows it. */
async function tellConnected(client: PoolClient, deviceIds: readonly string[]): Promise<void> {
  const query = queryOn(client);
  const { rows } = await query<{ user_id: string; last_seen_at: Date; device_id: string }>(
    'SELECT user_id, device_id, type, location, status, last_seen_at FROM devices WHERE device_id = ANY ($1) ORDER BY device_id',
    [deviceIds],
  );
  const events = rows.map(({ user_id, ...device }) => ({
    type: 'device.connected' as const,
    userId: user_id,
    data: { ...device, last_seen_at: device.last_seen_at.toISOString() },
  }));
  await addEvents(query, events, new Date());
}
