import { sql } from 'kysely';
import { unprocessable } from '#src/core/errors.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import type { Database } from '#src/database/connect.ts';
import type { Placement } from '#src/database/enums.ts';
import { hasUnknownName } from '#src/database/meter.ts';
import { type Reach, within } from '#src/database/reach.ts';
import {
  countsAsOf,
  isAskedOf,
  meantChannel,
  nativeNameOf,
  type OwnersWord,
  type OwnersWords,
  placementOf,
  wordFor,
} from './channel-name.ts';

/** A quantity that a device tells, and what it counts as. */
export interface DeviceChannel {
  native_name: string;
  /** Of its value; null: nobody knows it. */
  unit: string | null;
  last_value: number | null;
  last_at: Date | null;
  /** As `COUNTS_AS`; null: not known, not counted. */
  counts_as: string | null;
  /** Its owner is to say what it is. */
  asked: boolean;
  /** Where in the home it is, by its owner; null: where its device is. */
  placement: Placement | null;
  /** Whether its energy counts: not that of a part of a total that counts, of a power next to a register, or of an unknown quantity. */
  counted: boolean;
}

/** Whether the energy of a row of `series` counts, as electricity or as another commodity. */
export const IS_COUNTED = sql<boolean>`(s.counts_import OR s.counts_export OR coalesce(s.meter ~ '^(gas|heat|water)', false))`;

/** What an owner says of a quantity; null: nothing any more, so that the guess, and the device's place, hold again. Left out: as it was. */
export interface SaidOfChannel {
  native_name: string;
  counts_as?: string | null | undefined;
  placement?: Placement | null | undefined;
}

/** Most words of an owner on one device. */
const MAX_WORDS = 300;
const VOLUME = 'm³';
/** Stored whole numbers of a unit: mWh of a kWh (millilitres of a m³), mW of a W. */
const UNITS: Readonly<Record<string, { unit: string; per: number }>> = {
  register: { unit: 'kWh', per: 1e6 },
  interval: { unit: 'kWh', per: 1e6 },
  power: { unit: 'W', per: 1e3 },
};

/** The channel by which a series of `s` counts: what it is among all that its device announced, or the one that it is stored under. */
const MEANT_CHANNEL = sql<string>`coalesce(s.meant, s.channel)`.as('channel');

/** Kinds of series whose values are told as quantities of a device: energy and power. */
export const TOLD_KINDS = Object.keys(UNITS);

/** A quantity, of its series and its latest reading, by what its owner says. Pure. */
export function toldChannel(
  row: {
    channel: string;
    kind: string;
    native_name: string | null;
    unit: string | null;
    value: number | null;
    read_at: Date | null;
    counted: boolean;
  },
  words: OwnersWords,
): DeviceChannel {
  const { unit, per } = UNITS[row.kind] as { unit: string; per: number };
  const series = { channel: row.channel, kind: row.kind, nativeName: row.native_name };
  const word = wordFor(words, series);
  const countsAs = countsAsOf(row.channel, word);
  const isVolume = meantChannel({ ...series, unit: row.unit }, word).isVolume;
  // The member of a native message says its unit, whatever its channel is called.
  const isUnitKnown = countsAs !== null || row.native_name === null;
  return {
    native_name: nativeNameOf(series),
    unit: isUnitKnown ? (isVolume ? VOLUME : unit) : row.unit,
    last_value: row.value === null ? null : Number(row.value) / per,
    last_at: row.read_at,
    counts_as: countsAs,
    asked: isAskedOf(row.channel, word),
    placement: word.placement ?? null,
    counted: row.counted,
  };
}

/** The energy and power that a device tells, in the order in which it began to, with what its owner says of others. */
export async function listChannels(db: Database, deviceId: string, words: OwnersWords): Promise<DeviceChannel[]> {
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
    .select([MEANT_CHANNEL, 's.kind', 's.native_name', 's.unit', 'l.value', 'l.read_at', IS_COUNTED.as('counted')])
    .where('s.device_id', '=', deviceId)
    .where('s.kind', 'in', TOLD_KINDS)
    .orderBy('s.series_id')
    .execute();
  const told = rows.map((row) => toldChannel(row, words));
  const names = new Set(told.map(({ native_name }) => native_name));
  const untold = Object.entries(words).filter(([name]) => !names.has(name));
  return [
    ...told,
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
 * Quantities of a device whose last reading is held, and its time: it is implausible, and counts nothing until the next ones say what it
 * was (law of consumption: held, confirming).
 */
export async function listHeld(db: Database, deviceId: string): Promise<{ native_name: string; at: Date }[]> {
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
    .where('s.kind', 'in', TOLD_KINDS)
    .where('n.verdict', 'in', ['held', 'confirming'])
    .orderBy('s.series_id')
    .execute();
  return rows.map(({ channel, kind, native_name: nativeName, read_at }) => ({
    native_name: nativeNameOf({ channel, kind, nativeName }),
    at: read_at,
  }));
}

/** The words of an owner with what he says now. Throws `unprocessable` where there are too many. */
export function withWords(words: OwnersWords, said: readonly SaidOfChannel[]): OwnersWords {
  const next = new Map(Object.entries(words));
  for (const { native_name, ...now } of said) {
    const before = next.get(native_name);
    const countsAs = after(before?.counts_as, now.counts_as);
    // A place that the previous word implied goes with that word.
    const isImplied = before?.placement !== undefined && before.placement === placementOf(before.counts_as);
    const isNew = countsAs !== before?.counts_as;
    const place = isNew ? (placementOf(countsAs) ?? (isImplied ? undefined : before?.placement)) : before?.placement;
    const placement = after(place, now.placement);
    // What its owner says now goes before what migration 0059 wrote.
    const found = now.counts_as === undefined ? { circuit: before?.circuit, asked: before?.asked } : {};
    const word: OwnersWord = omitUndefined({ counts_as: countsAs, placement, ...found });
    if (Object.keys(word).length === 0) next.delete(native_name);
    else next.set(native_name, word);
  }
  if (next.size > MAX_WORDS) throw unprocessable({ field: 'channels', message: `must be at most ${MAX_WORDS} in all` });
  return Object.fromEntries(next);
}

/** What holds after something was said: null takes it back. */
const after = <Word>(before: Word | undefined, said: Word | null | undefined): Word | undefined =>
  said === undefined ? before : (said ?? undefined);

/**
 * Refuses words by which a meaning is given twice in a circuit (422), or a power is said to flow the other way: it counts by its sign.
 * Of what a device has not told yet nothing can be said.
 */
export async function mustBeClear(db: Database, deviceId: string, words: OwnersWords): Promise<void> {
  const rows = await db
    .selectFrom('series as s')
    .select([MEANT_CHANNEL, 'kind', 'native_name', 'unit'])
    .where('device_id', '=', deviceId)
    .where('kind', 'in', TOLD_KINDS)
    .orderBy('series_id')
    .execute();
  const given = new Map<string, { name: string; isSaid: boolean }>();
  for (const { channel, kind, native_name: nativeName, unit } of rows) {
    const series = { channel, kind, nativeName, unit };
    const word = wordFor(words, series);
    const meaning = countsAsOf(channel, word);
    const name = nativeNameOf(series);
    const meant = meantChannel(series, word);
    const isSaid = word.counts_as !== undefined;
    if (isSaid && !meant.known) {
      throw wrong(
        kind === 'power'
          ? `${name}: a power counts by its sign, and cannot be ${meaning}; say import, a part of it, or ignored`
          : `${name}: a volume cannot be ${meaning}; say gas, heat, water or ignored`,
      );
    }
    if (meaning === null || meaning === 'ignored') continue;
    const key = `${meant.circuit} ${meant.isVolume ? VOLUME : ''} ${kind} ${meaning}`;
    const other = given.get(key);
    if (other && (other.isSaid || isSaid)) {
      throw wrong(
        `${name}: ${meaning} is given already, to ${other.name}; say another part (import/t1, import/l2) or set one of them to ignored`,
      );
    }
    given.set(key, { name, isSaid });
  }
}

const wrong = (message: string) => unprocessable({ field: 'channels', message });

/** The words that an owner has said of a device, under its lock; null where there is no such device within the reach. */
export async function lockedWords(db: Database, reach: Reach, deviceId: string): Promise<OwnersWords | null> {
  const row = await db
    .selectFrom('devices')
    .select('channels')
    .where('device_id', '=', deviceId)
    .where('deleted_at', 'is', null)
    .where(within(reach, 'devices.user_id'))
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row?.channels ?? null;
}

/**
 * Whether a device, in a query of `devices`, reports something that nobody knows, of which its owner has said nothing (`isAskedOf`).
 */
export const hasUnknownQuantity = sql<boolean>`EXISTS (SELECT FROM series s
  CROSS JOIN LATERAL (SELECT devices.channels -> coalesce(s.native_name, s.channel || CASE s.kind WHEN 'register' THEN ' energy_total_kwh' WHEN 'interval' THEN ' energy_kwh' ELSE ' power_w' END) AS word) w
  WHERE s.device_id = devices.device_id AND ${hasUnknownName} AND (w.word -> 'counts_as' IS NULL OR w.word ? 'asked'))`;
