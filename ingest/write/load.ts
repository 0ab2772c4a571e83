import type { SeriesRoles, SeriesRolesUntilTime } from '#ingest/normalise/roles-by-time.ts';
import { findRangeComputedWithOtherSettings } from '#ingest/normalise/settings.ts';
import type { PoolClient } from '#src/database/connect.ts';
import { type AggregatedQuantity, isElectricityQuantity } from '#src/database/meter.ts';
import type { ChannelSettings } from '#src/devices/channel-name.ts';
import type { Edit } from '#src/devices/edits/edit.ts';
import type { CollectedReadings } from './collect.ts';
import {
  formatSeriesName,
  hasReadingAfterLastSplit,
  isEverySeriesPastEdits,
  MAX_CACHED_SERIES,
  parseCountingSettings,
  parseCountingSettingsByTime,
  type SeriesState,
  type StoredCountingSettings,
  type StoredCountingSettingsByTime,
  type StoredCountingState,
} from './device-state.ts';
import { type DeviceHead, parseStoredCountingStates } from './head.ts';
import { findRecomputationEndMs } from './load-stretches.ts';
import { parseOpenHour } from './open-hour.ts';
import { findRangesWithOutdatedRoles } from './target-roles.ts';

export interface LockedDevice extends DeviceHead {
  readonly wasNeverSeen: boolean;
  /** Outcomes of the device's latest readings, one bit each: 1 if rejected. */
  readonly recentRejects: number;
}

/**
 * Locks devices for this transaction, and returns the state of those that exist. `arrived`: new readings by device and series.
 * `pieceReadings`: approximate number of readings that a transaction recomputes. `isDeferred`: whether a later transaction recomputes a
 * changed device. `silent`: devices without messages. A deleted device is loaded only if it is in `silent` and changes by its owner are not
 * applied yet.
 */
export async function loadDevices(
  client: PoolClient,
  deviceIds: readonly string[],
  arrived: CollectedReadings['series'],
  {
    pieceReadings,
    isDeferred,
    silent,
  }: { pieceReadings: number | undefined; isDeferred(deviceId: string): boolean; silent: readonly string[] },
): Promise<Map<string, LockedDevice>> {
  if (deviceIds.length === 0) return new Map();
  // Raw SQL: each batch runs this prepared statement, which takes arrays.
  const { rows } = await client.query<DeviceRow & { laws: string }>(
    `SELECT device_id, d.user_id, limit_kw, register_max_kwh, max_gap_minutes, computed_with, channels, recent_rejects,
       h.version, h.seen_at IS NULL AS never_seen, h.laws, h.open
     FROM devices d JOIN device_heads h USING (device_id)
     WHERE device_id = ANY ($1) AND (deleted_at IS NULL OR computed_with IS NOT NULL AND device_id = ANY ($2))
     ORDER BY device_id FOR NO KEY UPDATE`,
    [deviceIds, silent],
  );
  const states: StoredCountingStates = new Map(
    rows.map((row) => [row.device_id, new Map(parseStoredCountingStates(row.laws).map((state) => [state[0], state]))]),
  );
  const series = await loadSeries(client, states);
  const edits = await loadEdits(client, deviceIds);
  const devices = new Map<string, LockedDevice>();
  for (const row of rows) {
    const { device_id: deviceId } = row;
    const loaded = { states: states.get(deviceId), series: series.get(deviceId), edits: edits.get(deviceId) };
    devices.set(deviceId, lockedDevice(row, loaded));
  }
  for (const [deviceId, device] of devices) {
    const hasReadings = (arrived.get(deviceId)?.size ?? 0) > 0;
    if (device.computedWith === null || (hasReadings && (isDeferred(deviceId) || !isAwaited(device)))) continue;
    const pieceUntilMs = await findRecomputationEndMs(client, device, [...device.series.values()], pieceReadings);
    devices.set(deviceId, { ...device, pieceUntilMs });
  }
  return devices;
}

/**
 * Whether the readings of a device must wait until changed settings, or changed roles of its series, are applied to stored readings. They
 * do not wait for edits.
 */
const isAwaited = (device: LockedDevice): boolean =>
  (device.computedWith !== null && findRangeComputedWithOtherSettings(device.computedWith, device.settings) !== null) ||
  findRangesWithOutdatedRoles(device, [...device.series.values()]).size > 0;

interface DeviceRow extends StoredCountingSettings {
  device_id: string;
  user_id: string;
  computed_with: StoredCountingSettingsByTime | null;
  channels: ChannelSettings;
  recent_rejects: number;
  version: number;
  never_seen: boolean;
  open: string | null;
}

function lockedDevice(
  row: DeviceRow,
  {
    states = new Map(),
    series = new Map(),
    edits,
  }: {
    states: ReadonlyMap<number, StoredCountingState> | undefined;
    series: ReadonlyMap<string, SeriesState> | undefined;
    edits: readonly Edit[] | undefined;
  },
): LockedDevice {
  return {
    deviceId: row.device_id,
    userId: row.user_id,
    settings: parseCountingSettings(row),
    computedWith: row.computed_with && parseCountingSettingsByTime(row.computed_with),
    ...(row.computed_with?.by_update && { isMarkedByUpdate: true }),
    channelSettings: row.channels,
    series,
    ...(edits && { edits }),
    version: row.version,
    open: parseOpenHour(row.open),
    isSettled:
      !row.never_seen &&
      row.recent_rejects === 0 &&
      states.size <= MAX_CACHED_SERIES &&
      isEverySeriesPastEdits(edits ?? [], states.values()) &&
      [...series.values()].every(hasReadingAfterLastSplit),
    wasNeverSeen: row.never_seen,
    recentRejects: row.recent_rejects,
  };
}

/** Loads the edits of devices, including revoked ones that still have effects. Nearly all devices have none. */
async function loadEdits(client: PoolClient, deviceIds: readonly string[]): Promise<Map<string, Edit[]>> {
  const { rows } = await client.query(
    `SELECT edit_id, device_id, channel, kind, from_at, to_at, value, revoked_at IS NULL AS is_in_force, is_counted,
       coalesce(counted_from, from_at) AS counted_from, coalesce(counted_to, to_at) AS counted_to, instants
     FROM reading_edits WHERE device_id = ANY ($1) AND (revoked_at IS NULL OR is_counted) ORDER BY edit_id`,
    [deviceIds],
  );
  const found = new Map<string, Edit[]>();
  for (const row of rows) {
    const ofDevice = found.get(row.device_id) ?? [];
    found.set(row.device_id, ofDevice);
    const counted = { fromMs: row.counted_from.getTime(), toMs: row.counted_to.getTime() };
    ofDevice.push({
      editId: row.edit_id,
      channel: row.channel,
      kind: row.kind,
      fromMs: row.from_at.getTime(),
      toMs: row.to_at.getTime(),
      value: row.value,
      isInForce: row.is_in_force,
      counted: row.is_counted ? counted : null,
      ...(row.instants && { instants: new Set<number>(row.instants.map(Number)) }),
    });
  }
  return found;
}

/**
 * Converts columns of `series` into roles: the totals to which the series contributes. `counts_import` and `counts_export` are set only for
 * electricity.
 */
function storedRoles(row: StoredRoles): SeriesRoles {
  const imports = row.counts_import || (row.meter !== null && !isElectricityQuantity(row.meter));
  // `tariff_since` remains set for a former tariff register, so the register must also contribute to a total.
  const isTariff = row.tariff_since !== null && (imports || row.counts_export);
  return { import: imports, export: row.counts_export, meter: row.meter, ...(isTariff && { isTariff }) };
}

const earlierRolesOf = (row: StoredEarlierRoles): SeriesRolesUntilTime => ({
  untilMs: row.until_ms,
  roles: {
    import: row.import,
    export: row.export,
    meter: row.meter,
    ...(row.is_tariff ? { isTariff: true } : {}),
  },
});

interface StoredEarlierRoles {
  until_ms: number;
  import: boolean;
  export: boolean;
  meter: AggregatedQuantity | null;
  is_tariff: boolean;
}

interface StoredRoles {
  counts_import: boolean;
  counts_export: boolean;
  meter: AggregatedQuantity | null;
  tariff_since: unknown;
}

type StoredCountingStates = ReadonlyMap<string, ReadonlyMap<number, StoredCountingState>>;

async function loadSeries(
  client: PoolClient,
  states: StoredCountingStates,
): Promise<Map<string, Map<string, SeriesState>>> {
  const byDevice = new Map<string, Map<string, SeriesState>>();
  if (states.size === 0) return byDevice;
  const { rows } = await client.query(
    `SELECT series_id, device_id, channel, kind, native_name, unit, described, meant, counts_import, counts_export, meter, tariff_since,
       first_read_at, nonzero_at, closed_until, split_after, earlier_roles
     FROM series WHERE device_id = ANY ($1) ORDER BY series_id`,
    [[...states.keys()]],
  );
  for (const row of rows) {
    const stands = states.get(row.device_id)?.get(row.series_id);
    const series: SeriesState = {
      seriesId: row.series_id,
      channel: row.channel,
      kind: row.kind,
      nativeName: row.native_name,
      unit: row.unit,
      described: row.described,
      meant: row.meant,
      roles: storedRoles(row),
      tariffSinceMs: row.tariff_since instanceof Date ? row.tariff_since.getTime() : Number.NEGATIVE_INFINITY,
      firstReadAtMs: row.first_read_at?.getTime() ?? null,
      nonzeroAtMs: row.nonzero_at?.getTime() ?? null,
      lastReadAtMs: stands?.[1] ?? null,
      tail: stands?.[2] ?? null,
      closedUntilMs: row.closed_until?.getTime() ?? null,
      ...(row.earlier_roles && { earlierRoles: row.earlier_roles.map(earlierRolesOf) }),
      ...(row.split_after && { splits: row.split_after.map((at: Date) => at.getTime()) }),
    };
    const ofDevice = byDevice.get(row.device_id) ?? new Map();
    byDevice.set(row.device_id, ofDevice.set(formatSeriesName(row.channel, row.kind), series));
  }
  return byDevice;
}
