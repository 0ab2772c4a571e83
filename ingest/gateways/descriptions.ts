import { createHash } from 'node:crypto';
import { HOUR_MS } from '#src/core/units.ts';
import type { PoolClient } from '#src/database/connect.ts';
import { PREVIOUS_COUNTING_SETTINGS_SQL } from '#src/devices/previous-counting-settings.ts';
import type { RegisterDescription } from '../decoders/registers-of-a-device/register.ts';

const digests = new WeakMap<RegisterDescription, string>();

/** Returns a short digest of a register's description, which is stored with the quantity in the list of devices. */
export function hashRegisterDescription(described: RegisterDescription): string {
  const known = digests.get(described);
  if (known !== undefined) return known;
  const digest = createHash('sha256').update(JSON.stringify(described)).digest('base64').slice(0, 12);
  digests.set(described, digest);
  return digest;
}

/**
 * Whether a changed description of a register is accepted: always in the first hour after `firstSeenMs`, then at most once per hour.
 * Otherwise a device whose description alternates would have its whole history recomputed with each message. `notedMs`: time of the last
 * change. All times are in Unix ms.
 */
export const isRegisterDescriptionChangeAllowed = (
  notedMs: number | undefined,
  firstSeenMs: number,
  nowMs: number,
): boolean => notedMs === undefined || nowMs - notedMs >= HOUR_MS || nowMs - firstSeenMs < HOUR_MS;

interface Changed {
  deviceId: string;
  channel: string;
  kind: string;
  described: RegisterDescription;
}

/** Stores changed descriptions of registers. Returns the ids of the devices whose whole history must then be recomputed. */
export async function saveRegisterDescriptions(client: PoolClient, changed: readonly Changed[]): Promise<string[]> {
  if (changed.length === 0) return [];
  // Raw SQL for speed: one statement changes any number of series. Rows are locked in a fixed order to avoid deadlocks.
  await client.query(
    'SELECT FROM devices WHERE device_id = ANY ($1) AND deleted_at IS NULL ORDER BY device_id FOR NO KEY UPDATE',
    [changed.map(({ deviceId }) => deviceId)],
  );
  const { rows } = await client.query(
    `WITH described AS (
       UPDATE series s SET described = c.described
       FROM unnest($1::text[], $2::text[], $3::text[], $4::jsonb[]) c (device_id, channel, kind, described)
       WHERE s.device_id = c.device_id AND s.channel = c.channel AND s.kind = c.kind AND s.described IS DISTINCT FROM c.described
       RETURNING s.device_id)
     UPDATE devices SET computed_with = ${PREVIOUS_COUNTING_SETTINGS_SQL} WHERE device_id IN (SELECT device_id FROM described)
     RETURNING device_id`,
    [
      changed.map(({ deviceId }) => deviceId),
      changed.map(({ channel }) => channel),
      changed.map(({ kind }) => kind),
      changed.map(({ described }) => JSON.stringify(described)),
    ],
  );
  return rows.map((row) => row.device_id);
}
