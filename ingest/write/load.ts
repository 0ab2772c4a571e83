import type { LawSettings } from '#ingest/normalise/law.ts';
import type { PoolClient } from '#src/database/connect.ts';
import { type StandingDevice, type StandingSeries, seriesName } from './standing.ts';

/** A device that is locked until the end of the transaction, and how it was heard so far. */
export interface LockedDevice extends StandingDevice {
  /** Nothing valid has come from it yet. */
  readonly wasNeverSeen: boolean;
  /** Bits of its last readings: recent-rejects.ts. */
  readonly recentRejects: number;
}

interface StoredSettings {
  limit_kw: number;
  register_max_kwh: number | null;
  max_gap_minutes: number;
}

const settingsOf = (row: StoredSettings): LawSettings => ({
  limitKw: row.limit_kw,
  registerMaxKwh: row.register_max_kwh,
  maxGapMinutes: row.max_gap_minutes,
});

/**
 * Locks the devices for this transaction, in one order for all writers, and loads what stands of those that exist: of
 * `reporting` ones with their series. All that follows from readings of a device is written under this lock only.
 */
export async function loadDevices(
  client: PoolClient,
  deviceIds: readonly string[],
  reporting: readonly string[],
): Promise<Map<string, LockedDevice>> {
  // Raw SQL: the hot path of ingest: statements over arrays, prepared where each batch has them.
  const { rows } = await client.query(
    `SELECT device_id, user_id, limit_kw, register_max_kwh, max_gap_minutes, computed_with, recent_rejects,
       last_seen_at IS NULL AS never_seen FROM devices
     WHERE device_id = ANY ($1) AND deleted_at IS NULL ORDER BY device_id FOR NO KEY UPDATE`,
    [deviceIds],
  );
  const series = await loadSeries(client, reporting);
  return new Map(
    rows.map((row) => [
      row.device_id,
      {
        deviceId: row.device_id,
        userId: row.user_id,
        settings: settingsOf(row),
        computedWith: row.computed_with && settingsOf(row.computed_with),
        series: series.get(row.device_id) ?? new Map(),
        wasNeverSeen: row.never_seen,
        recentRejects: row.recent_rejects,
      },
    ]),
  );
}

async function loadSeries(
  client: PoolClient,
  deviceIds: readonly string[],
): Promise<Map<string, Map<string, StandingSeries>>> {
  const byDevice = new Map<string, Map<string, StandingSeries>>();
  if (deviceIds.length === 0) return byDevice;
  const { rows } = await client.query(
    `SELECT series_id, device_id, channel, kind, counts_import, counts_export, last_read_at, tail, closed_until
     FROM series WHERE device_id = ANY ($1) ORDER BY series_id`,
    [deviceIds],
  );
  for (const row of rows) {
    const series: StandingSeries = {
      seriesId: row.series_id,
      channel: row.channel,
      kind: row.kind,
      roles: { import: row.counts_import, export: row.counts_export },
      lastReadAtMs: row.last_read_at?.getTime() ?? null,
      tail: row.tail,
      closedUntilMs: row.closed_until?.getTime() ?? null,
    };
    const ofDevice = byDevice.get(row.device_id) ?? new Map();
    byDevice.set(row.device_id, ofDevice.set(seriesName(row.channel, row.kind), series));
  }
  return byDevice;
}
