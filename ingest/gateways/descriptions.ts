import { createHash } from 'node:crypto';
import type { PoolClient } from '#src/database/connect.ts';
import { COMPUTED_BEFORE_SQL } from '#src/devices/computed-before.ts';
import type { Described } from '../decoders/registers-of-a-device/register.ts';

const HOUR_MS = 3_600_000;

const digests = new WeakMap<Described, string>();

/** A short digest of a description, which is noted with what is listed. */
export function digestOf(described: Described): string {
  const known = digests.get(described);
  if (known !== undefined) return known;
  const digest = createHash('sha256').update(JSON.stringify(described)).digest('base64').slice(0, 12);
  digests.set(described, digest);
  return digest;
}

/**
 * Whether a changed description is taken: what a device announces differently from message to message would compute its past again each time.
 * Times in Unix ms; `notedMs` undefined: there was none.
 */
export const mayChange = (notedMs: number | undefined, firstSeenMs: number, nowMs: number): boolean =>
  notedMs === undefined || nowMs - notedMs >= HOUR_MS || nowMs - firstSeenMs < HOUR_MS;

/** A stored series, and how it is described from now on. */
interface Changed {
  deviceId: string;
  channel: string;
  kind: string;
  described: Described;
}

/** Stores changed descriptions of series that are there. Returns their devices, which are computed again for their whole past. */
export async function saveDescriptions(client: PoolClient, changed: readonly Changed[]): Promise<string[]> {
  if (changed.length === 0) return [];
  // Raw SQL: the hot path of ingest: any number of series is one statement, by unnest. Devices are locked in the order of all writers.
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
     UPDATE devices SET computed_with = ${COMPUTED_BEFORE_SQL} WHERE device_id IN (SELECT device_id FROM described)
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
