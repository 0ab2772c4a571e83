import { type PoolClient, queryOn } from '#src/database/connect.ts';
import { addEvents } from '#src/events/outbox.ts';
import type { IncomingMessage, Reject } from './message.ts';
import { isMostlyRejected, withOutcomes } from './recent-rejects.ts';
import type { LockedDevice } from './series-store.ts';

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
    await client.query(
      `UPDATE devices SET last_seen_at = now(), status = CASE status WHEN 'inactive' THEN 'active' ELSE status END
       WHERE device_id = ANY ($1)
         AND (last_seen_at IS NULL OR last_seen_at < now() - interval '10 seconds' OR status = 'inactive')`,
      [[...heard.keys()]],
    );
  }
  await noteOutcomes(client, devices, heard, rejects);
  await noteWords(client, batch);
  const first = [...heard.keys()].filter((deviceId) => devices.get(deviceId)?.wasNeverSeen);
  if (first.length > 0) await tellConnected(client, first);
}

/** Keeps the outcomes of a device's last readings, where any of them was rejected: mostly rejected, it is faulty. */
async function noteOutcomes(
  client: PoolClient,
  devices: ReadonlyMap<string, LockedDevice>,
  heard: ReadonlyMap<string, number>,
  rejects: readonly Reject[],
): Promise<void> {
  const rejected = new Map<string, number>();
  for (const { message } of rejects) {
    const { deviceId } = message.decoded;
    rejected.set(deviceId, (rejected.get(deviceId) ?? 0) + 1);
  }
  const changes: { deviceId: string; bits: number; becomes: string | null }[] = [];
  for (const { deviceId, recentRejects: before } of devices.values()) {
    const bits = withOutcomes(before, heard.get(deviceId) ?? 0, rejected.get(deviceId) ?? 0);
    if (bits === before) continue;
    const [was, is] = [isMostlyRejected(before), isMostlyRejected(bits)];
    changes.push({ deviceId, bits, becomes: was === is ? null : is ? 'faulty' : 'active' });
  }
  if (changes.length === 0) return;
  await client.query(
    `UPDATE devices d SET recent_rejects = c.bits, status = CASE
       WHEN c.becomes = 'active' AND d.status <> 'faulty' THEN d.status ELSE coalesce(c.becomes, d.status) END
     FROM unnest($1::text[], $2::int[], $3::text[]) c (device_id, bits, becomes) WHERE d.device_id = c.device_id`,
    [changes.map(({ deviceId }) => deviceId), changes.map(({ bits }) => bits), changes.map(({ becomes }) => becomes)],
  );
}

/** What devices say of themselves. */
async function noteWords(client: PoolClient, batch: readonly IncomingMessage[]): Promise<void> {
  const said = new Map<string, string>();
  for (const { decoded } of batch) if (decoded.status) said.set(decoded.deviceId, decoded.status);
  if (said.size === 0) return;
  await client.query(
    `UPDATE devices d SET status = CASE s.status WHEN 'faulty' THEN 'faulty' WHEN 'online' THEN 'active' ELSE d.status END
     FROM unnest($1::text[], $2::text[]) s (device_id, status)
     WHERE d.device_id = s.device_id AND (s.status = 'faulty' OR d.status = 'faulty') AND s.status <> 'offline'`,
    [[...said.keys()], [...said.values()]],
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
