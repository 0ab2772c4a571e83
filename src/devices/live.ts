import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import type { OwnersWords } from './channel-name.ts';
import { type DeviceChannel, IS_COUNTED, TOLD_KINDS, toldChannel } from './channels.ts';

/** A device that was heard of. */
export interface Heard {
  userId: string;
  deviceId: string;
  /** When its last valid reading was received, microseconds since 1970. */
  seenAtMicros: number;
}

/** What a device told last. */
export interface LiveReading {
  device_id: string;
  user_id: string;
  seen_at: string;
  /** What it draws, W; below 0: what it feeds in. Null: it tells none that is of now, or several of which it is not known what they add up to. */
  power_w: number | null;
  power_at: string | null;
  /** Quantities that it told within the last day. */
  channels: (Omit<DeviceChannel, 'last_at'> & { last_at: string })[];
}

/** What a power without parts can count as. */
const TOTALS: ReadonlySet<string> = new Set(['import', 'export', 'production', 'charged', 'discharged']);
/** A power of these leaves what its device measures: it is subtracted. */
const isOutward = (countsAs: string | null) => /^(?:export|production|discharged)/.test(countsAs ?? '');
/** A power that is older is not the power now. (The law does not hold a power for longer, either.) */
const NOW_MS = 15 * 60_000;
/** What was told before is nothing live. By time, so that the latest partitions are looked into alone. */
const SINCE_MS = 86_400_000;
/** A device's clock may be ahead by this (ingest refuses more). */
const AHEAD_MS = 5 * 60_000;

/** When each device of some homes last sent a valid reading, without deleted devices and those that never sent one. */
export async function heardOf(db: Database, userIds: readonly string[]): Promise<Heard[]> {
  // Raw SQL: a time as a number, to the microsecond that it is kept in.
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

/** A quantity with its latest value within the last day. */
export type ToldChannel = LiveReading['channels'][number];

/** The latest value of each quantity that devices sent within the last day, by device; in one statement. */
export async function latestChannels(
  db: Database,
  deviceIds: readonly string[],
  now: Date,
): Promise<Map<string, ToldChannel[]>> {
  const nowMs = now.getTime();
  // Raw SQL: the latest reading of each series, by its index.
  const { rows } = await sql<ValueRow>`
    SELECT ${VALUE_COLUMNS}
    FROM series s JOIN devices d ON d.device_id = s.device_id AND d.deleted_at IS NULL
    CROSS JOIN LATERAL (SELECT r.value, r.read_at FROM readings r WHERE r.series_id = s.series_id
      AND r.read_at > ${new Date(nowMs - SINCE_MS)} AND r.read_at <= ${new Date(nowMs + AHEAD_MS)} ORDER BY r.read_at DESC LIMIT 1) l
    WHERE s.device_id = ANY (${deviceIds}::text[]) AND s.kind = ANY (${TOLD_KINDS}::text[])
    ORDER BY s.device_id, s.series_id`.execute(db);
  const channels = new Map<string, ToldChannel[]>();
  for (const row of rows) channels.set(row.device_id, [...(channels.get(row.device_id) ?? []), channelOf(row)]);
  return channels;
}

/** Powers that devices sent from `from` (exclusive) to `to`, by time: the latest of each quantity in each step of so many seconds. */
export async function powersBetween(
  db: Database,
  deviceIds: readonly string[],
  { from, to, stepSeconds }: { from: Date; to: Date; stepSeconds: number },
): Promise<{ deviceId: string; seriesId: string; channel: ToldChannel }[]> {
  const step = sql`floor(extract(epoch FROM l.read_at) / ${sql.lit(stepSeconds)})`;
  // Raw SQL: DISTINCT ON, so that a meter of ten readings a second costs no more rows than one of a reading each step.
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
  words: OwnersWords;
  channel: string;
  kind: string;
  native_name: string | null;
  unit: string | null;
  value: number;
  read_at: Date;
  counted: boolean;
}

/** Of series `s` of device `d` with its reading `l`. */
const VALUE_COLUMNS = sql`s.device_id, d.channels AS words, coalesce(s.meant, s.channel) AS channel, s.kind, s.native_name, s.unit, l.value, l.read_at, ${IS_COUNTED} AS counted`;

const channelOf = (row: ValueRow): ToldChannel => ({
  ...toldChannel(row, row.words),
  last_at: row.read_at.toISOString(),
});

/** The power of a device by the latest values of its quantities, unless it is older than 15 minutes. Pure. */
export const currentPowerOf = (channels: readonly ToldChannel[], nowMs: number): ReturnType<typeof powerOf> =>
  powerOf(channels.filter(({ unit, last_at }) => unit === 'W' && nowMs - Date.parse(last_at) < NOW_MS));

/** What some devices told last, those that are there; in one statement. */
export async function liveReadings(db: Database, heard: readonly Heard[], now: Date): Promise<LiveReading[]> {
  const told = await latestChannels(
    db,
    heard.map(({ deviceId }) => deviceId),
    now,
  );
  return heard.flatMap(({ userId, deviceId, seenAtMicros }) => {
    const channels = told.get(deviceId);
    if (!channels) return [];
    return {
      device_id: deviceId,
      user_id: userId,
      seen_at: new Date(seenAtMicros / 1_000).toISOString(),
      ...currentPowerOf(channels, now.getTime()),
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
 * What powers of a device add up to: what flows in less what flows out. Of several of one direction nobody knows (two sockets, or a total and its
 * phases), unless they are the phases (l1, l2, l3). Pure.
 */
export function powerOf(powers: readonly Power[]): Pick<LiveReading, 'power_w' | 'power_at'> {
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
