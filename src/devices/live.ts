import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import type { ChannelSettings } from './channel-name.ts';
import {
  buildDeviceChannel,
  type DeviceChannel,
  ENERGY_AND_POWER_SERIES_KINDS,
  IS_CONTRIBUTING_SERIES_SQL,
} from './channels.ts';

export interface DeviceLastSeenTime {
  userId: string;
  deviceId: string;
  /** Time of receipt of the device's last valid reading, in microseconds since 1970. */
  seenAtMicros: number;
}

/** Latest values of a device. */
export interface LatestDeviceValues {
  device_id: string;
  user_id: string;
  seen_at: string;
  /** Power of the device in W; negative if the device feeds in. Null if no power is current, or if the powers cannot be added. */
  power_w: number | null;
  power_at: string | null;
  /** Quantities of the device with a reading in the last day. */
  channels: (Omit<DeviceChannel, 'last_at'> & { last_at: string })[];
}

/** Values of `counts_as` for a power that includes all phases. */
const TOTALS: ReadonlySet<string> = new Set(['import', 'export', 'production', 'charged', 'discharged']);
/** Whether a power with this `counts_as` flows out of the device, so that it is subtracted. */
const isOutward = (countsAs: string | null) => /^(?:export|production|discharged)/.test(countsAs ?? '');
/** Maximum age in ms of a current power. */
const NOW_MS = 15 * 60_000;
/** Maximum age in ms of a value that is read, so that PostgreSQL reads only the latest partitions. */
const SINCE_MS = 86_400_000;
/** Maximum time in ms by which a device's clock may be ahead. */
const AHEAD_MS = 5 * 60_000;

/** Returns the time at which each device of some homes last sent a valid reading. Omits devices that were deleted or never sent one. */
export async function listDeviceLastSeenTimes(db: Database, userIds: readonly string[]): Promise<DeviceLastSeenTime[]> {
  // Raw SQL: returns a time as a number, with the microseconds that PostgreSQL stores.
  const { rows } = await sql<{ user_id: string; device_id: string; micros: number }>`
    SELECT h.user_id, device_id, (extract(epoch FROM seen_at) * 1000000)::bigint AS micros
    FROM device_heads h JOIN devices d USING (device_id)
    WHERE h.user_id = ANY (${userIds}::text[]) AND seen_at IS NOT NULL AND d.deleted_at IS NULL ORDER BY h.user_id, device_id`.execute(
    db,
  );
  return rows.map(({ user_id, device_id, micros }) => ({
    userId: user_id,
    deviceId: device_id,
    seenAtMicros: micros,
  }));
}

/** A quantity with its latest value of the last day. */
export type LatestChannelValue = LatestDeviceValues['channels'][number];

/** Reads the latest value of each quantity with a reading in the last day, by device. */
export async function readLatestChannelValues(
  db: Database,
  deviceIds: readonly string[],
  now: Date,
): Promise<Map<string, LatestChannelValue[]>> {
  const nowMs = now.getTime();
  // Raw SQL: finds the latest reading of each series with the index of readings.
  const { rows } = await sql<ValueRow>`
    SELECT ${VALUE_COLUMNS}
    FROM series s JOIN devices d ON d.device_id = s.device_id AND d.deleted_at IS NULL
    CROSS JOIN LATERAL (SELECT r.value, r.read_at FROM readings r WHERE r.series_id = s.series_id
      AND r.read_at > ${new Date(nowMs - SINCE_MS)} AND r.read_at <= ${new Date(nowMs + AHEAD_MS)} ORDER BY r.read_at DESC LIMIT 1) l
    WHERE s.device_id = ANY (${deviceIds}::text[]) AND s.kind = ANY (${ENERGY_AND_POWER_SERIES_KINDS}::text[])
    ORDER BY s.device_id, s.series_id`.execute(db);
  const channels = new Map<string, LatestChannelValue[]>();
  for (const row of rows) channels.set(row.device_id, [...(channels.get(row.device_id) ?? []), channelOf(row)]);
  return channels;
}

/** Reads power values after `from` and up to `to`, in order of time: the latest value of each quantity in each step of `stepSeconds`. */
export async function readPowerValues(
  db: Database,
  deviceIds: readonly string[],
  { from, to, stepSeconds }: { from: Date; to: Date; stepSeconds: number },
): Promise<{ deviceId: string; seriesId: string; channel: LatestChannelValue }[]> {
  const step = sql`floor(extract(epoch FROM l.read_at) / ${sql.lit(stepSeconds)})`;
  // Raw SQL: DISTINCT ON limits the rows of meters with many readings.
  const { rows } = await sql<ValueRow & { series_id: string }>`
    SELECT DISTINCT ON (s.series_id, ${step}) s.series_id::text AS series_id, ${VALUE_COLUMNS}
    FROM series s JOIN devices d ON d.device_id = s.device_id AND d.deleted_at IS NULL
    JOIN readings l ON l.series_id = s.series_id AND l.read_at > ${from} AND l.read_at <= ${to}
    WHERE s.device_id = ANY (${deviceIds}::text[]) AND s.kind = 'power'
    ORDER BY s.series_id, ${step}, l.read_at DESC`.execute(db);
  return rows
    .map((row) => ({ deviceId: row.device_id, seriesId: row.series_id, channel: channelOf(row) }))
    .toSorted((a, b) => a.channel.last_at.localeCompare(b.channel.last_at));
}

interface ValueRow {
  device_id: string;
  words: ChannelSettings;
  channel: string;
  kind: string;
  native_name: string | null;
  unit: string | null;
  value: number;
  read_at: Date;
  counted: boolean;
}

const VALUE_COLUMNS = sql`s.device_id, d.channels AS words, coalesce(s.meant, s.channel) AS channel, s.kind, s.native_name, s.unit, l.value, l.read_at, ${IS_CONTRIBUTING_SERIES_SQL} AS counted`;

const channelOf = (row: ValueRow): LatestChannelValue => ({
  ...buildDeviceChannel(row, row.words),
  last_at: row.read_at.toISOString(),
});

/** Returns the power of a device from the latest values of its quantities. Ignores values older than 15 minutes. */
export const getCurrentPower = (channels: readonly LatestChannelValue[], nowMs: number): ReturnType<typeof sumPowers> =>
  sumPowers(channels.filter(({ unit, last_at }) => unit === 'W' && nowMs - Date.parse(last_at) < NOW_MS));

/** Reads the latest values of devices. Omits devices without a value in the last day. */
export async function readLatestDeviceValues(
  db: Database,
  seen: readonly DeviceLastSeenTime[],
  now: Date,
): Promise<LatestDeviceValues[]> {
  const latest = await readLatestChannelValues(
    db,
    seen.map(({ deviceId }) => deviceId),
    now,
  );
  return seen.flatMap(({ userId, deviceId, seenAtMicros }) => {
    const channels = latest.get(deviceId);
    if (!channels) return [];
    return {
      device_id: deviceId,
      user_id: userId,
      seen_at: new Date(seenAtMicros / 1_000).toISOString(),
      ...getCurrentPower(channels, now.getTime()),
      channels,
    };
  });
}

interface Power {
  counts_as: string | null;
  last_value: number | null;
  last_at: string;
}

/**
 * Returns the sum of a device's powers: inflow minus outflow. Several powers in the same direction can be added only if they are the phases
 * l1, l2 and l3; otherwise the sum is unknown.
 */
export function sumPowers(powers: readonly Power[]): Pick<LatestDeviceValues, 'power_w' | 'power_at'> {
  const unknown = { power_w: null, power_at: null };
  const totals = powers.filter(({ counts_as }) => counts_as !== null && TOTALS.has(counts_as));
  const phases = powers.filter(({ counts_as }) => /^(?:import|export)\/l\d$/.test(counts_as ?? ''));
  const used = totals.length > 0 ? totals : phases;
  const meanings = new Set(used.map(({ counts_as }) => counts_as));
  if (used.length === 0 || meanings.size < used.length) return unknown;
  let milliwatts = 0;
  for (const { counts_as, last_value } of used)
    milliwatts += Math.round((last_value ?? 0) * 1_000) * (isOutward(counts_as) ? -1 : 1);
  return { power_w: milliwatts / 1_000, power_at: used.map(({ last_at }) => last_at).sort()[0] ?? null };
}
