import { sql } from 'kysely';
import { createUnprocessableError } from '#src/core/errors.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import type { Database } from '#src/database/connect.ts';
import type { Placement } from '#src/database/enums.ts';
import { hasUnknownChannelNameSql } from '#src/database/meter.ts';
import { type AccessibleAccounts, isAccountAccessibleSql } from '#src/database/reach.ts';
import {
  type ChannelSetting,
  type ChannelSettings,
  findChannelSetting,
  findImpliedPlacement,
  getNativeQuantityName,
  resolveChannelMeaning,
  resolveCountsAs,
  shouldOwnerSetMeaning,
} from './channel-name.ts';

/** A quantity that a device reports, with its meaning. */
export interface DeviceChannel {
  native_name: string;
  /** Unit of the quantity. Null if unknown. */
  unit: string | null;
  last_value: number | null;
  last_at: Date | null;
  /** The meaning of the quantity. Null if it is unknown; the quantity then contributes to no total. */
  counts_as: string | null;
  /** Whether the owner should still set the meaning of the quantity. */
  asked: boolean;
  /** The part of the home that the quantity measures, as its owner set it. Null: the same part as for its device. */
  placement: Placement | null;
  /**
   * Whether the energy of the quantity contributes to the totals. It does not if its meaning is unknown, or if another quantity already
   * contains it.
   */
  counted: boolean;
}

/** SQL condition on a row `s` of `series`: its energy contributes to the totals of electricity or of another commodity. */
export const IS_CONTRIBUTING_SERIES_SQL = sql<boolean>`(s.counts_import OR s.counts_export OR coalesce(s.meter ~ '^(gas|heat|water)', false))`;

/** A change of an owner's settings for a quantity. Null removes a setting. An omitted setting does not change. */
export interface ChannelSettingPatch {
  native_name: string;
  counts_as?: string | null | undefined;
  placement?: Placement | null | undefined;
}

/** Maximum number of quantities of a device for which its owner can have settings. */
const MAX_WORDS = 300;
const VOLUME = 'm³';
/** Unit of each kind of series. `per`: number of stored units in one such unit, for example 1,000,000 mWh in a kWh. */
const UNITS: Readonly<Record<string, { unit: string; per: number }>> = {
  register: { unit: 'kWh', per: 1e6 },
  interval: { unit: 'kWh', per: 1e6 },
  power: { unit: 'W', per: 1e3 },
};

/** SQL expression for the channel that determines the meaning of a series `s`. */
const MEANT_CHANNEL = sql<string>`coalesce(s.meant, s.channel)`.as('channel');

/** Kinds of series that are listed as quantities of a device: those of energy and power. */
export const ENERGY_AND_POWER_SERIES_KINDS = Object.keys(UNITS);

/** Builds a quantity from its series, its latest reading and the owner's settings. */
export function buildDeviceChannel(
  row: {
    channel: string;
    kind: string;
    native_name: string | null;
    unit: string | null;
    value: number | null;
    read_at: Date | null;
    counted: boolean;
  },
  words: ChannelSettings,
): DeviceChannel {
  const { unit, per } = UNITS[row.kind] as { unit: string; per: number };
  const series = { channel: row.channel, kind: row.kind, nativeName: row.native_name };
  const word = findChannelSetting(words, series);
  const countsAs = resolveCountsAs(row.channel, word);
  const isVolume = resolveChannelMeaning({ ...series, unit: row.unit }, word).isVolume;
  // In a message of the service's own format, the name of the member determines the unit.
  const isUnitKnown = countsAs !== null || row.native_name === null;
  return {
    native_name: getNativeQuantityName(series),
    unit: isUnitKnown ? (isVolume ? VOLUME : unit) : row.unit,
    last_value: row.value === null ? null : Number(row.value) / per,
    last_at: row.read_at,
    counts_as: countsAs,
    asked: shouldOwnerSetMeaning(row.channel, word),
    placement: word.placement ?? null,
    counted: row.counted,
  };
}

/** Lists the quantities of energy and power of a device in the order of their first reports, then other quantities with settings. */
export async function listChannels(db: Database, deviceId: string, words: ChannelSettings): Promise<DeviceChannel[]> {
  const rows = await db
    .selectFrom('series as s')
    .leftJoinLateral(
      (last) =>
        last
          .selectFrom('readings as r')
          .select(['r.value', 'r.read_at'])
          .whereRef('r.series_id', '=', 's.series_id')
          .orderBy('r.read_at', 'desc')
          .limit(1)
          .as('l'),
      (join) => join.onTrue(),
    )
    .select([
      MEANT_CHANNEL,
      's.kind',
      's.native_name',
      's.unit',
      'l.value',
      'l.read_at',
      IS_CONTRIBUTING_SERIES_SQL.as('counted'),
    ])
    .where('s.device_id', '=', deviceId)
    .where('s.kind', 'in', ENERGY_AND_POWER_SERIES_KINDS)
    .orderBy('s.series_id')
    .execute();
  const known = rows.map((row) => buildDeviceChannel(row, words));
  const names = new Set(known.map(({ native_name }) => native_name));
  const untold = Object.entries(words).filter(([name]) => !names.has(name));
  return [
    ...known,
    ...untold.map(([native_name, { counts_as, placement }]) => ({
      native_name,
      unit: null,
      last_value: null,
      last_at: null,
      counts_as: counts_as ?? null,
      asked: false,
      placement: placement ?? null,
      counted: false,
    })),
  ];
}

/**
 * Returns those quantities of a device whose last reading is implausible, and the time of the reading. Such a reading does not contribute
 * to the totals until later readings confirm or contradict it.
 */
export async function listReadingsOnHold(db: Database, deviceId: string): Promise<{ native_name: string; at: Date }[]> {
  const rows = await db
    .selectFrom('series as s')
    .innerJoinLateral(
      (last) =>
        last
          .selectFrom('readings as r')
          .select(['r.read_at', 'r.interval_ms'])
          .whereRef('r.series_id', '=', 's.series_id')
          .orderBy('r.read_at', 'desc')
          .limit(1)
          .as('l'),
      (join) => join.onTrue(),
    )
    .innerJoin('reading_notes as n', (join) =>
      join
        .onRef('n.series_id', '=', 's.series_id')
        .onRef('n.read_at', '=', 'l.read_at')
        .onRef('n.interval_ms', '=', 'l.interval_ms'),
    )
    .select(['s.channel', 's.kind', 's.native_name', 'l.read_at'])
    .where('s.device_id', '=', deviceId)
    .where('s.kind', 'in', ENERGY_AND_POWER_SERIES_KINDS)
    .where('n.verdict', 'in', ['held', 'confirming'])
    .orderBy('s.series_id')
    .execute();
  return rows.map(({ channel, kind, native_name: nativeName, read_at }) => ({
    native_name: getNativeQuantityName({ channel, kind, nativeName }),
    at: read_at,
  }));
}

/** Merges a change into an owner's settings for quantities. Throws 422 if the result contains too many quantities. */
export function mergeChannelSettings(words: ChannelSettings, said: readonly ChannelSettingPatch[]): ChannelSettings {
  const next = new Map(Object.entries(words));
  for (const { native_name, ...now } of said) {
    const before = next.get(native_name);
    const countsAs = after(before?.counts_as, now.counts_as);
    // If the previous `counts_as` implied the part of the home, a new `counts_as` removes this part.
    const isImplied = before?.placement !== undefined && before.placement === findImpliedPlacement(before.counts_as);
    const isNew = countsAs !== before?.counts_as;
    const place = isNew
      ? (findImpliedPlacement(countsAs) ?? (isImplied ? undefined : before?.placement))
      : before?.placement;
    const placement = after(place, now.placement);
    // A setting by the owner replaces the setting of migration 0059.
    const found = now.counts_as === undefined ? { circuit: before?.circuit, asked: before?.asked } : {};
    const word: ChannelSetting = omitUndefined({ counts_as: countsAs, placement, ...found });
    if (Object.keys(word).length === 0) next.delete(native_name);
    else next.set(native_name, word);
  }
  if (next.size > MAX_WORDS)
    throw createUnprocessableError({ field: 'channels', message: `must be at most ${MAX_WORDS} in all` });
  return Object.fromEntries(next);
}

/** Returns the value of a setting after a change. Null removes the value; undefined leaves it unchanged. */
const after = <Word>(before: Word | undefined, said: Word | null | undefined): Word | undefined =>
  said === undefined ? before : (said ?? undefined);

/**
 * Throws 422 if two quantities of a circuit (such as `switch0` in `switch0/import`) would have the same meaning. Also throws 422 if a power
 * would get a direction that contradicts its sign. Quantities that the device has not reported yet are not checked.
 */
export async function assertUnambiguousChannels(db: Database, deviceId: string, words: ChannelSettings): Promise<void> {
  const rows = await db
    .selectFrom('series as s')
    .select([MEANT_CHANNEL, 'kind', 'native_name', 'unit'])
    .where('device_id', '=', deviceId)
    .where('kind', 'in', ENERGY_AND_POWER_SERIES_KINDS)
    .orderBy('series_id')
    .execute();
  const meanings = new Map<string, { name: string; isSaid: boolean }>();
  for (const { channel, kind, native_name: nativeName, unit } of rows) {
    const series = { channel, kind, nativeName, unit };
    const word = findChannelSetting(words, series);
    const meaning = resolveCountsAs(channel, word);
    const name = getNativeQuantityName(series);
    const meant = resolveChannelMeaning(series, word);
    const isSaid = word.counts_as !== undefined;
    if (isSaid && !meant.known) {
      throw wrong(
        kind === 'power'
          ? `${name}: a power counts by its sign, and cannot be ${meaning}; choose import, a part of it, or ignored`
          : `${name}: a volume cannot be ${meaning}; choose gas, heat, water or ignored`,
      );
    }
    if (meaning === null || meaning === 'ignored') continue;
    const key = `${meant.circuit} ${meant.isVolume ? VOLUME : ''} ${kind} ${meaning}`;
    const other = meanings.get(key);
    if (other && (other.isSaid || isSaid)) {
      throw wrong(
        `${name}: ${other.name} already counts as ${meaning}; choose another part (import/t1, import/l2) or set one of them to ignored`,
      );
    }
    meanings.set(key, { name, isSaid });
  }
}

const wrong = (message: string) => createUnprocessableError({ field: 'channels', message });

/** Locks a device, and returns its owner's settings for its quantities. Null if the caller can access no such device. */
export async function lockChannelSettings(
  db: Database,
  reach: AccessibleAccounts,
  deviceId: string,
): Promise<ChannelSettings | null> {
  const row = await db
    .selectFrom('devices')
    .select('channels')
    .where('device_id', '=', deviceId)
    .where('deleted_at', 'is', null)
    .where(isAccountAccessibleSql(reach, 'devices.user_id'))
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row?.channels ?? null;
}

/** SQL condition on `devices`: whether a device reports a quantity whose meaning its owner should set (`shouldOwnerSetMeaning`). */
export const hasUnknownQuantitySql = sql<boolean>`EXISTS (SELECT FROM series s
  CROSS JOIN LATERAL (SELECT devices.channels -> coalesce(s.native_name, s.channel || CASE s.kind WHEN 'register' THEN ' energy_total_kwh' WHEN 'interval' THEN ' energy_kwh' ELSE ' power_w' END) AS word) w
  WHERE s.device_id = devices.device_id AND ${hasUnknownChannelNameSql} AND (w.word -> 'counts_as' IS NULL OR w.word ? 'asked'))`;
