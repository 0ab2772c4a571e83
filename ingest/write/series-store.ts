import { chooseRoles, type Roles } from '#ingest/normalise/channels.ts';
import type { LawSettings } from '#ingest/normalise/law.ts';
import type { PoolClient } from '#src/database/connect.ts';

/** A device as the write path needs it, locked until the end of the transaction. */
export interface LockedDevice {
  deviceId: string;
  userId: string;
  settings: LawSettings;
  /** What its stored consumption was computed with, where the owner has changed the settings since; else null. */
  settingsBefore: LawSettings | null;
  /** Nothing valid has come from it yet. */
  wasNeverSeen: boolean;
  /** Bits of its last readings: recent-rejects.ts. */
  recentRejects: number;
}

/** A series and where its law stands. */
export interface Series {
  seriesId: number;
  deviceId: string;
  channel: string;
  kind: string;
  roles: Roles;
  /** Roles before this batch; they differ where a better quantity has just appeared. */
  rolesBefore: Roles;
  /** What its stored consumption was computed with, where the owner has changed the settings since; else null. */
  settingsBefore: LawSettings | null;
  /** Time of the latest reading, null before the first. */
  lastReadAtMs: number | null;
  /** State of the law after it. */
  tail: unknown;
  /** Readings up to here are closed: retention has dropped what they would change. Null: nothing was dropped. */
  closedUntilMs: number | null;
}

/**
 * Locks the devices for this transaction, in one order for all writers, and returns those that exist. All series,
 * readings and load profile rows of a device are written under this lock only.
 */
export async function lockDevices(client: PoolClient, deviceIds: string[]): Promise<Map<string, LockedDevice>> {
  // Raw SQL: the hot path of ingest: any number of series is one statement, by unnest.
  const { rows } = await client.query(
    `SELECT device_id, user_id, limit_kw, register_max_kwh, max_gap_minutes, computed_with, recent_rejects,
       last_seen_at IS NULL AS never_seen FROM devices
     WHERE device_id = ANY ($1) AND deleted_at IS NULL ORDER BY device_id FOR NO KEY UPDATE`,
    [deviceIds],
  );
  return new Map(
    rows.map((row) => [
      row.device_id,
      {
        deviceId: row.device_id,
        userId: row.user_id,
        wasNeverSeen: row.never_seen,
        recentRejects: row.recent_rejects,
        settings: {
          limitKw: row.limit_kw,
          registerMaxKwh: row.register_max_kwh,
          maxGapMinutes: row.max_gap_minutes,
        },
        settingsBefore: row.computed_with && {
          limitKw: row.computed_with.limit_kw,
          registerMaxKwh: row.computed_with.register_max_kwh,
          maxGapMinutes: row.computed_with.max_gap_minutes,
        },
      },
    ]),
  );
}

/** All series of the devices; `wanted` ones that are missing are created. Roles are chosen anew where any was. */
export async function loadSeries(
  client: PoolClient,
  deviceIds: string[],
  wanted: readonly { deviceId: string; channel: string; kind: string }[],
): Promise<{ byKey: Map<string, Series>; changedRoles: Series[] }> {
  const { rows } = await client.query(
    `SELECT series_id, device_id, channel, kind, counts_import, counts_export, last_read_at, tail, closed_until
     FROM series WHERE device_id = ANY ($1) ORDER BY series_id`,
    [deviceIds],
  );
  const byKey = new Map<string, Series>();
  for (const row of rows) {
    const roles = { import: row.counts_import, export: row.counts_export };
    byKey.set(seriesKey({ deviceId: row.device_id, channel: row.channel, kind: row.kind }), {
      seriesId: row.series_id,
      deviceId: row.device_id,
      channel: row.channel,
      kind: row.kind,
      roles,
      rolesBefore: roles,
      settingsBefore: null,
      lastReadAtMs: row.last_read_at === null ? null : row.last_read_at.getTime(),
      tail: row.tail,
      closedUntilMs: row.closed_until?.getTime() ?? null,
    });
  }
  const missing = wanted.filter((series) => !byKey.has(seriesKey(series)));
  if (missing.length === 0) return { byKey, changedRoles: [] };
  await createSeries(client, missing, byKey);
  return { byKey, changedRoles: await chooseAnew(client, new Set(missing.map((s) => s.deviceId)), byKey) };
}

/** Identity of a series among all. */
export const seriesKey = (series: { deviceId: string; channel: string; kind: string }): string =>
  `${series.deviceId}\n${series.channel}\n${series.kind}`;

async function createSeries(
  client: PoolClient,
  missing: readonly { deviceId: string; channel: string; kind: string }[],
  byKey: Map<string, Series>,
): Promise<void> {
  const { rows } = await client.query(
    `INSERT INTO series (device_id, channel, kind)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) RETURNING series_id, device_id, channel, kind`,
    [missing.map((s) => s.deviceId), missing.map((s) => s.channel), missing.map((s) => s.kind)],
  );
  for (const row of rows) {
    const none = { import: false, export: false };
    const series = { deviceId: row.device_id, channel: row.channel, kind: row.kind };
    byKey.set(seriesKey(series), {
      ...series,
      seriesId: row.series_id,
      roles: none,
      rolesBefore: none,
      settingsBefore: null,
      lastReadAtMs: null,
      tail: null,
      closedUntilMs: null,
    });
  }
}

/** A new series may be a better quantity: chooses what counts on its device, and stores what changed. */
async function chooseAnew(client: PoolClient, deviceIds: Set<string>, byKey: Map<string, Series>): Promise<Series[]> {
  const ofDevice = new Map<string, Series[]>();
  for (const series of byKey.values()) {
    if (!deviceIds.has(series.deviceId)) continue;
    const list = ofDevice.get(series.deviceId);
    if (list) list.push(series);
    else ofDevice.set(series.deviceId, [series]);
  }
  const changed: Series[] = [];
  for (const list of ofDevice.values()) {
    const chosen = chooseRoles(list);
    list.forEach((series, index) => {
      const roles = chosen[index] as Roles;
      if (roles.import === series.roles.import && roles.export === series.roles.export) return;
      series.roles = roles;
      changed.push(series);
    });
  }
  await client.query(
    `UPDATE series s SET counts_import = c.i, counts_export = c.e
     FROM unnest($1::bigint[], $2::boolean[], $3::boolean[]) c (series_id, i, e) WHERE s.series_id = c.series_id`,
    [changed.map((s) => s.seriesId), changed.map((s) => s.roles.import), changed.map((s) => s.roles.export)],
  );
  return changed;
}

/** Notes that the devices' consumption is now computed with the settings of their rows. */
export async function settingsApplied(client: PoolClient, deviceIds: readonly string[]): Promise<void> {
  if (deviceIds.length === 0) return;
  await client.query('UPDATE devices SET computed_with = NULL WHERE device_id = ANY ($1)', [deviceIds]);
}

/** Stores where the laws stand after the batch. */
export async function saveTails(client: PoolClient, series: readonly Series[]): Promise<void> {
  if (series.length === 0) return;
  await client.query(
    `UPDATE series s SET last_read_at = to_timestamp(t.at_ms / 1000.0), tail = t.tail
     FROM unnest($1::bigint[], $2::bigint[], $3::jsonb[]) t (series_id, at_ms, tail) WHERE s.series_id = t.series_id`,
    [
      series.map((s) => s.seriesId),
      series.map((s) => s.lastReadAtMs),
      series.map((s) => (s.tail === null ? null : JSON.stringify(s.tail))),
    ],
  );
}
