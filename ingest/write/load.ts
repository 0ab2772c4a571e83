import type { Roles } from '#ingest/normalise/channels.ts';
import type { LawSettings } from '#ingest/normalise/law.ts';
import type { PoolClient } from '#src/database/connect.ts';
import { isPlaced, type Meter } from '#src/database/meter.ts';
import { type Head, parseLaws, type StandingLaw } from './head.ts';
import { parseOpenHour } from './open-hour.ts';
import { type StandingSeries, seriesName } from './standing.ts';

/** A device that is locked until the end of the transaction, and how it was heard so far. */
export interface LockedDevice extends Head {
  /** Nothing valid has come from it yet. */
  readonly wasNeverSeen: boolean;
  readonly isInactive: boolean;
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
 * Locks the devices and their heads for this transaction, in one order for all writers, and loads what stands of those that
 * exist. In the order in which an owner's change takes the two, too.
 */
export async function loadDevices(
  client: PoolClient,
  deviceIds: readonly string[],
): Promise<Map<string, LockedDevice>> {
  if (deviceIds.length === 0) return new Map();
  // Raw SQL: the hot path of ingest: statements over arrays, prepared where each batch has them.
  const { rows } = await client.query(
    `SELECT device_id, d.user_id, limit_kw, register_max_kwh, max_gap_minutes, computed_with, channels, recent_rejects, status,
       h.version, h.seen_at IS NULL AS never_seen, h.laws, h.open
     FROM devices d JOIN device_heads h USING (device_id)
     WHERE device_id = ANY ($1) AND deleted_at IS NULL ORDER BY device_id FOR NO KEY UPDATE`,
    [deviceIds],
  );
  const laws: Laws = new Map(
    rows.map((row) => [row.device_id, new Map(parseLaws(row.laws).map((law) => [law[0], law]))]),
  );
  const series = await loadSeries(client, laws);
  return new Map(
    rows.map((row) => [
      row.device_id,
      {
        deviceId: row.device_id,
        userId: row.user_id,
        settings: settingsOf(row),
        computedWith: row.computed_with && settingsOf(row.computed_with),
        words: row.channels,
        series: series.get(row.device_id) ?? new Map(),
        version: row.version,
        open: parseOpenHour(row.open),
        isSettled: row.status === 'active' && !row.never_seen && row.recent_rejects === 0,
        wasNeverSeen: row.never_seen,
        isInactive: row.status === 'inactive',
        recentRejects: row.recent_rejects,
      },
    ]),
  );
}

/** `counts_import` and `counts_export` are about electricity alone, as all that asks for them is. */
const storedRoles = (row: StoredRoles): Roles => ({
  import: row.counts_import || (row.meter !== null && !isPlaced(row.meter)),
  export: row.counts_export,
  meter: row.meter,
  ...(row.tariff_since === null ? {} : { isTariff: true }),
});

interface StoredRoles {
  counts_import: boolean;
  counts_export: boolean;
  meter: Meter | null;
  tariff_since: unknown;
}

/** Where laws stand, by device_id and series_id. */
type Laws = ReadonlyMap<string, ReadonlyMap<number, StandingLaw>>;

async function loadSeries(client: PoolClient, laws: Laws): Promise<Map<string, Map<string, StandingSeries>>> {
  const byDevice = new Map<string, Map<string, StandingSeries>>();
  if (laws.size === 0) return byDevice;
  const { rows } = await client.query(
    `SELECT series_id, device_id, channel, kind, native_name, unit, counts_import, counts_export, meter, tariff_since, closed_until
     FROM series WHERE device_id = ANY ($1) ORDER BY series_id`,
    [[...laws.keys()]],
  );
  for (const row of rows) {
    const stands = laws.get(row.device_id)?.get(row.series_id);
    const series: StandingSeries = {
      seriesId: row.series_id,
      channel: row.channel,
      kind: row.kind,
      nativeName: row.native_name,
      unit: row.unit,
      roles: storedRoles(row),
      tariffSinceMs: row.tariff_since instanceof Date ? row.tariff_since.getTime() : Number.NEGATIVE_INFINITY,
      lastReadAtMs: stands?.[1] ?? null,
      tail: stands?.[2] ?? null,
      closedUntilMs: row.closed_until?.getTime() ?? null,
    };
    const ofDevice = byDevice.get(row.device_id) ?? new Map();
    byDevice.set(row.device_id, ofDevice.set(seriesName(row.channel, row.kind), series));
  }
  return byDevice;
}
