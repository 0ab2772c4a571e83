import type { PoolClient } from '#src/database/connect.ts';
import type { IncomingMessage } from './message.ts';

/**
 * Notes that devices were heard: `last_seen_at` (to ten seconds, to spare a write per batch), `inactive` becomes
 * `active` with a valid reading, and what a device says of its own state holds.
 */
export async function touchDevices(
  client: PoolClient,
  heard: readonly string[],
  batch: readonly IncomingMessage[],
): Promise<void> {
  if (heard.length > 0) {
    await client.query(
      `UPDATE devices SET last_seen_at = now(), status = CASE status WHEN 'inactive' THEN 'active' ELSE status END
       WHERE device_id = ANY ($1)
         AND (last_seen_at IS NULL OR last_seen_at < now() - interval '10 seconds' OR status = 'inactive')`,
      [heard],
    );
  }
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
