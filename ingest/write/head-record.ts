import type { IntervalState } from '#ingest/normalise/intervals.ts';
import type { PowerState } from '#ingest/normalise/power.ts';
import type { RegisterState } from '#ingest/normalise/registers.ts';
import type { Roles } from '#ingest/normalise/roles-by-time.ts';
import { METERS } from '#src/database/meter.ts';
import { type ByteRing, NUMBER_BYTES } from './byte-ring.ts';
import { isPastRoles, type StandingSeries, seriesName } from './device-state.ts';
import type { Head } from './head.ts';
import { PLACES } from './open-hour.ts';
import { writeWhole } from './statement.ts';

/** What series are called, by a number each: a million meters share a few names. */
export interface SeriesNames {
  /** Its number, a new one where it has none; -1: there are too many. */
  numberOf(channel: string, kind: string): number;
  /** Its number; -1: it has none. */
  find(channel: string, kind: string): number;
  /** No more can be added: who keeps them begins anew. */
  isFull(): boolean;
  nameOf(number: number): SeriesName;
}

interface SeriesName {
  readonly channel: string;
  readonly kind: string;
}

const MAX_NAMES = 10_000;

export function seriesNames(): SeriesNames {
  /** By channel and by kind: to join the two for each reading would be a text each time. */
  const numbers = new Map<string, Map<string, number>>();
  const names: SeriesName[] = [];
  return {
    numberOf(channel, kind) {
      const ofChannel = numbers.get(channel);
      const known = ofChannel?.get(kind);
      if (known !== undefined) return known;
      if (names.length === MAX_NAMES) return -1;
      const number = names.push({ channel, kind }) - 1;
      if (ofChannel) ofChannel.set(kind, number);
      else numbers.set(channel, new Map([[kind, number]]));
      return number;
    },
    find: (channel, kind) => numbers.get(channel)?.get(kind) ?? -1,
    isFull: () => names.length === MAX_NAMES,
    nameOf: (number) => names[number] as SeriesName,
  };
}

/**
 * States of laws as a few numbers each, so that where a law stands can be kept outside of the JavaScript heap, and written for the
 * database without a text or an object in between. A state of another form (a reading is held, an earlier edition's) has none:
 * such a head is not remembered, and loaded with each batch until it is over.
 */

/** What the numbers are: nothing (no law), a register's run, a power's last reading, the end of an interval. */
const [NOTHING, RUN, POWER, INTERVAL] = [0, 1, 2, 3];

/** Most numbers of a state: a run remembers its last two readings and three more, a time and a value each. */
const MAX_NUMBERS = 10;

/** Places of a packed state: what the numbers are, how many, and the numbers. */
const STATE_PLACES = 2 + MAX_NUMBERS;

/** Writes a state; false: it has no such form, or a number that is not whole. */
export function packState(state: unknown, into: Float64Array, at: number): boolean {
  if (state === null) {
    into[at] = NOTHING;
    into[at + 1] = 0;
    return true;
  }
  const { run, held, lastAtMs, lastMw, keptEndMs } = state as RegisterState & PowerState & IntervalState;
  if (run !== undefined) return held === undefined && packRun(run, into, at);
  if (lastAtMs !== undefined && lastMw !== undefined) {
    into[at] = POWER;
    into[at + 1] = 2;
    into[at + 2] = lastAtMs;
    into[at + 3] = lastMw;
    return Number.isSafeInteger(lastAtMs) && Number.isSafeInteger(lastMw);
  }
  if (keptEndMs === undefined) return false;
  into[at] = INTERVAL;
  into[at + 1] = 1;
  into[at + 2] = keptEndMs;
  return Number.isSafeInteger(keptEndMs);
}

function packRun(run: readonly number[], into: Float64Array, at: number): boolean {
  if (run.length > MAX_NUMBERS) return false;
  into[at] = RUN;
  into[at + 1] = run.length;
  for (let index = 0; index < run.length; index++) {
    const value = run[index] as number;
    if (!Number.isSafeInteger(value)) return false;
    into[at + 2 + index] = value;
  }
  return true;
}

/** Reads a state that was packed. */
export function unpackState(from: Float64Array, at: number): unknown {
  switch (from[at]) {
    case RUN: {
      const run = [from[at + 2] as number];
      for (let index = 1; index < (from[at + 1] as number); index++) run.push(from[at + 2 + index] as number);
      return { run };
    }
    case POWER:
      return { lastAtMs: from[at + 2], lastMw: from[at + 3] };
    case INTERVAL:
      return { keptEndMs: from[at + 2] };
    default:
      return null;
  }
}

/** What a state begins with in its JSON, what stands between its numbers, and what ends it. */
const TEXTS = [
  ['null', '', ''],
  ['{"run":[', ',', ']}'],
  ['{"lastAtMs":', ',"lastMw":', '}'],
  ['{"keptEndMs":', '', '}'],
].map((parts) => parts.map((part) => Buffer.from(part, 'latin1'))) as [Buffer, Buffer, Buffer][];

/** Writes a packed state as the JSON that it is; answers where that ends. */
export function writeState(bytes: Uint8Array, from: Float64Array, at: number, place: number): number {
  const [begin, between, end] = TEXTS[from[at] as number] as [Buffer, Buffer, Buffer];
  let next = writeText(bytes, begin, place);
  const length = from[at + 1] as number;
  for (let index = 0; index < length; index++) {
    if (index > 0) next = writeText(bytes, between, next);
    next = writeWhole(bytes, from[at + 2 + index] as number, next);
  }
  return writeText(bytes, end, next);
}

/** Byte by byte: for so few of them asking the system to copy costs more. */
function writeText(bytes: Uint8Array, text: Uint8Array, place: number): number {
  for (let index = 0; index < text.length; index++) bytes[place + index] = text[index] as number;
  return place + text.length;
}

/** More series than this are no meter's: what has them is not packed. */
const MAX_SERIES = 256;

/** Where the numbers of a head are in its record: settings (without a maximum: NaN), open hour (none: NaN), and how much follows. */
export const PLACE = {
  version: 0,
  limitKw: 1,
  registerMaxKwh: 2,
  maxGapMinutes: 3,
  hour: 4,
  quarters: 5,
  seriesCount: 5 + PLACES,
  userIdLength: 6 + PLACES,
  /** Of who works with many records: which of them this is. */
  mark: 7 + PLACES,
  series: 8 + PLACES,
} as const;

/**
 * Where the numbers of a series are behind one another. `roles`: bits, and since when it is a tariff, see `rolesOf`; `lastValue`: NaN where
 * it is not known; `state`: law-state.ts.
 */
export const SERIES_PLACE = { name: 0, roles: 1, seriesId: 2, lastReadAtMs: 3, lastValue: 4, state: 5 } as const;
/** Numbers of a series. */
export const SERIES_PLACES = SERIES_PLACE.state + STATE_PLACES;

const ROLES: readonly Roles[] = [{}, { isTariff: true }].flatMap((tariff) =>
  [null, ...METERS].flatMap((meter) =>
    [0, 1, 2, 3].map((bits) => ({ import: (bits & 1) !== 0, export: (bits & 2) !== 0, meter, ...tariff })),
  ),
);
/** What else is told by this number: each reading is 0; what it counts as is not what it counted as at its last reading. */
const [IS_ZERO, IS_BEHIND, FLAGS] = [1, 2, 4];
const isZero = ({ kind, nonzeroAtMs }: StandingSeries) => kind === 'register' && nonzeroAtMs === null;
const isBehind = (series: StandingSeries) => series.isBehind || !isPastRoles(series);

const packRoles = (series: StandingSeries): number =>
  FLAGS * roleNumber(series) + (isZero(series) ? IS_ZERO : 0) + (isBehind(series) ? IS_BEHIND : 0);

/** The time lies above all of these, as it nearly always is 0: there is no place for it where others have none. */
function roleNumber({ roles, tariffSinceMs }: StandingSeries): number {
  const { import: imports, export: exports, meter, isTariff } = roles;
  const bits = Number(imports) + 2 * Number(exports) + 4 * (meter === null ? 0 : METERS.indexOf(meter) + 1);
  return isTariff ? bits + ROLES.length / 2 + ROLES.length * Math.max(0, tariffSinceMs) : bits;
}
/** Roles by their number. */
export const rolesOf = (number: number): Roles => ROLES[Math.floor(number / FLAGS) % ROLES.length] as Roles;
const sinceOf = (number: number): number => Math.floor(number / (FLAGS * ROLES.length)) || Number.NEGATIVE_INFINITY;

/** Whether what a series counts as may be another one with its next reading: if it counted otherwise at its last, or is the first that is not 0. */
export const mayCountOtherwise = (number: number, value: number): boolean =>
  number % FLAGS !== 0 && (number % FLAGS >= IS_BEHIND || value !== 0);

/** How many numbers a record has; the user_id follows. */
export const lengthAt = (numbers: Float64Array, at: number): number =>
  PLACE.series + (numbers[at + PLACE.seriesCount] as number) * SERIES_PLACES;

/** The user_id of a record. */
export function userIdAt({ bytes, numbers }: ByteRing, at: number): string {
  const place = (at + lengthAt(numbers, at)) * NUMBER_BYTES;
  return bytes.toString('latin1', place, place + (numbers[at + PLACE.userIdLength] as number));
}

/**
 * Writes a settled head into its record. Without `closedUntilMs`: what is planned on a remembered head follows all that is stored, so
 * also all that retention has closed. Answers false where it cannot be written; the ring then has none of it.
 */
export function packHead(ring: ByteRing, names: SeriesNames, head: Head): boolean {
  const isPacked = head.series.size <= MAX_SERIES && pack(ring, names, head);
  if (!isPacked) ring.delete(head.deviceId);
  return isPacked;
}

function pack(ring: ByteRing, names: SeriesNames, head: Head): boolean {
  const { deviceId, userId, settings, series, version, open } = head;
  const { bytes, numbers } = ring;
  const length = PLACE.series + series.size * SERIES_PLACES;
  const place = ring.reserve(deviceId, length * NUMBER_BYTES + userId.length);
  if (place === -1) return false;
  const at = place / NUMBER_BYTES;
  numbers[at + PLACE.version] = version;
  numbers[at + PLACE.limitKw] = settings.limitKw;
  numbers[at + PLACE.registerMaxKwh] = settings.registerMaxKwh ?? Number.NaN;
  numbers[at + PLACE.maxGapMinutes] = settings.maxGapMinutes;
  numbers[at + PLACE.hour] = open?.hour ?? Number.NaN;
  for (let index = 0; index < PLACES; index++) numbers[at + PLACE.quarters + index] = open?.quarters[index] ?? 0;
  numbers[at + PLACE.seriesCount] = series.size;
  numbers[at + PLACE.userIdLength] = userId.length;
  let one = at + PLACE.series;
  for (const standing of series.values()) {
    const { channel, kind, seriesId, lastReadAtMs, lastValue, tail } = standing;
    const name = names.numberOf(channel, kind);
    // Of a series without readings nothing is stored in a head.
    if (name === -1 || seriesId === null || lastReadAtMs === null) return false;
    // Where the steps of another tariff lie would depend on what it counted as before.
    if (standing.roles.isTariff && isBehind(standing)) return false;
    numbers[one + SERIES_PLACE.name] = name;
    numbers[one + SERIES_PLACE.roles] = packRoles(standing);
    numbers[one + SERIES_PLACE.seriesId] = seriesId;
    numbers[one + SERIES_PLACE.lastReadAtMs] = lastReadAtMs;
    numbers[one + SERIES_PLACE.lastValue] = lastValue ?? Number.NaN;
    if (!packState(tail, numbers, one + SERIES_PLACE.state)) return false;
    one += SERIES_PLACES;
  }
  bytes.write(userId, one * NUMBER_BYTES, 'latin1');
  return true;
}

/** Reads a head from its record; null: there is none. */
export function unpackHead(ring: ByteRing, names: SeriesNames, deviceId: string): Head | null {
  const place = ring.placeOf(deviceId);
  if (place === -1) return null;
  const { numbers } = ring;
  const at = place / NUMBER_BYTES;
  const number = (of: number) => numbers[at + of] as number;
  const series = new Map<string, StandingSeries>();
  for (let one = at + PLACE.series; one < at + lengthAt(numbers, at); one += SERIES_PLACES) {
    const { channel, kind } = names.nameOf(numbers[one + SERIES_PLACE.name] as number);
    const lastValue = numbers[one + SERIES_PLACE.lastValue] as number;
    const flags = (numbers[one + SERIES_PLACE.roles] as number) % FLAGS;
    series.set(seriesName(channel, kind), {
      seriesId: numbers[one + SERIES_PLACE.seriesId] as number,
      channel,
      kind,
      ...(flags % IS_BEHIND === IS_ZERO && { nonzeroAtMs: null }),
      ...(flags >= IS_BEHIND && { isBehind: true }),
      roles: rolesOf(numbers[one + SERIES_PLACE.roles] as number),
      tariffSinceMs: sinceOf(numbers[one + SERIES_PLACE.roles] as number),
      lastReadAtMs: numbers[one + SERIES_PLACE.lastReadAtMs] as number,
      lastValue: Number.isNaN(lastValue) ? undefined : lastValue,
      tail: unpackState(numbers, one + SERIES_PLACE.state),
      closedUntilMs: null,
    });
  }
  const registerMaxKwh = number(PLACE.registerMaxKwh);
  const hour = number(PLACE.hour);
  const quarters = Array.from({ length: PLACES }, (_, index) => number(PLACE.quarters + index));
  return {
    deviceId,
    userId: userIdAt(ring, at),
    settings: {
      limitKw: number(PLACE.limitKw),
      registerMaxKwh: Number.isNaN(registerMaxKwh) ? null : registerMaxKwh,
      maxGapMinutes: number(PLACE.maxGapMinutes),
    },
    computedWith: null,
    series,
    version: number(PLACE.version),
    open: Number.isNaN(hour) ? null : { hour, quarters },
    isSettled: true,
  };
}
