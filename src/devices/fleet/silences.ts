import { sql } from 'kysely';
import { createUnprocessableError } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import { type AccessibleAccounts, accessibleAccountsSql } from '#src/database/reach.ts';
import { MAX_SILENCE_CHECK_GAP_MS } from './record-silences.ts';
import { type DeviceSilence, type DeviceStopGroup, groupDeviceStops, STOP_GROUPING_THRESHOLDS } from './stops.ts';

/** Maximum number of silences in one query, enough for an outage of 100,000 devices. */
const MAX_SILENCES = 250_000;

/** The silences of many devices in a time range, grouped by devices that stopped together. */
interface FleetSilences {
  /** Groups in which at least one device fell silent in the time range. */
  groups: DeviceStopGroup[];
  /** Times at which no worker checked for silences, so that some may be missing. */
  unwatched: Stretch[];
  /** Number of devices that the caller may access, and number of homes with at least one of them. */
  devices: number;
  homes: number;
}

/** Reads and groups the silences that began in a time range, of devices that the caller can access. Throws 422 if there are too many. */
export async function readDeviceSilences(
  db: Database,
  reach: AccessibleAccounts,
  { fromMs, toMs }: Stretch,
  now: Date,
): Promise<FleetSilences> {
  const since = new Date(fromMs - STOP_GROUPING_THRESHOLDS.habitMs);
  const until = new Date(toMs + STOP_GROUPING_THRESHOLDS.aroundMs);
  // Raw SQL: each of the three conditions uses an index. Includes silences that lasted into the time range.
  const { rows } = await sql<{
    device_id: string;
    user_id: string;
    gateway_id: string | null;
    began_at: Date;
    ended_at: Date | null;
  }>`
    SELECT s.device_id, s.user_id, s.began_at, s.ended_at,
      (SELECT x.gateway_id FROM discovered_devices x WHERE x.device_id = s.device_id LIMIT 1) AS gateway_id
    FROM device_silences s JOIN devices ON devices.device_id = s.device_id JOIN users ON users.user_id = s.user_id
    WHERE (s.began_at >= ${since} OR s.ended_at > ${since} OR s.ended_at IS NULL) AND s.began_at < ${until}
      AND s.was_heard AND devices.deleted_at IS NULL AND ${accessibleAccountsSql(reach)}
    LIMIT ${MAX_SILENCES + 1}`.execute(db);
  if (rows.length > MAX_SILENCES)
    throw createUnprocessableError({ field: 'end', message: 'has too many earlier silences: request fewer days' });
  const silences = rows.map((row): DeviceSilence => {
    const { device_id: deviceId, user_id: userId, gateway_id: gatewayId, began_at, ended_at } = row;
    return { deviceId, userId, gatewayId, beganMs: began_at.getTime(), endedMs: ended_at?.getTime() ?? null };
  });
  const isWithin = ({ beganMs }: DeviceSilence) => beganMs >= fromMs && beganMs < toMs;
  const groups = groupDeviceStops(silences, await sitesOf(db, silences), now.getTime());
  return {
    groups: groups.filter(({ stops }) => stops.some(isWithin)),
    unwatched: await unwatchedIn(db, { fromMs, toMs: Math.min(toMs, now.getTime()) }),
    ...(await sizeOf(db, reach)),
  };
}

async function sitesOf(db: Database, silences: readonly DeviceSilence[]) {
  const userIds = [...new Set(silences.map(({ userId }) => userId))];
  const { rows } = await sql<{ user_id: string; gateway_id: string | null; devices: number }>`
    SELECT d.user_id, x.gateway_id, count(*)::int AS devices
    FROM devices d JOIN device_heads h USING (device_id) LEFT JOIN discovered_devices x USING (device_id)
    WHERE d.user_id = ANY (${userIds}::text[]) AND d.deleted_at IS NULL AND h.seen_at IS NOT NULL
    GROUP BY 1, 2`.execute(db);
  const homes = new Map<string, number>();
  const gateways = new Map<string, number>();
  for (const { user_id, gateway_id, devices } of rows) {
    homes.set(user_id, (homes.get(user_id) ?? 0) + devices);
    if (gateway_id !== null) gateways.set(gateway_id, devices);
  }
  return { homes, gateways };
}

async function sizeOf(db: Database, reach: AccessibleAccounts): Promise<{ devices: number; homes: number }> {
  const { rows } = await sql<{ devices: number; homes: number }>`
    SELECT count(*)::int AS devices, count(DISTINCT devices.user_id)::int AS homes
    FROM devices JOIN users ON users.user_id = devices.user_id
    WHERE devices.deleted_at IS NULL AND ${accessibleAccountsSql(reach)}`.execute(db);
  return rows[0] ?? { devices: 0, homes: 0 };
}

async function unwatchedIn(db: Database, stretch: Stretch): Promise<Stretch[]> {
  if (stretch.toMs <= stretch.fromMs) return [];
  const rows = await db
    .selectFrom('silence_watches')
    .select(['began_at', 'ended_at'])
    .where('ended_at', '>=', new Date(stretch.fromMs))
    .where('began_at', '<', new Date(stretch.toMs))
    .orderBy('began_at')
    .execute();
  // A check for silences covers the time until the next check is due.
  return subtractTimeRanges(
    stretch,
    rows.map((row) => ({ fromMs: row.began_at.getTime(), toMs: row.ended_at.getTime() + MAX_SILENCE_CHECK_GAP_MS })),
  );
}

/** A time range `[fromMs, toMs)`, Unix ms. */
interface Stretch {
  fromMs: number;
  toMs: number;
}

/** Returns the parts of a time range that none of the other ranges covers. `others`: in order of time. */
export function subtractTimeRanges({ fromMs, toMs }: Stretch, others: readonly Stretch[]): Stretch[] {
  const uncovered: Stretch[] = [];
  let reachedMs = fromMs;
  for (const other of others) {
    if (other.fromMs >= toMs) break;
    if (other.fromMs > reachedMs) uncovered.push({ fromMs: reachedMs, toMs: other.fromMs });
    reachedMs = Math.max(reachedMs, other.toMs);
  }
  if (reachedMs < toMs) uncovered.push({ fromMs: reachedMs, toMs });
  return uncovered;
}
