import type { CountingSettings } from '#ingest/normalise/counting-rule.ts';
import type { SeriesRoles } from '#ingest/normalise/roles-by-time.ts';
import { AGGREGATED_QUANTITIES } from '#src/database/meter.ts';
import { BYTES_PER_NUMBER, type ByteRing } from './byte-ring.ts';
import {
  MAX_COUNTING_STATE_BYTES,
  PACKED_STATE_LENGTH,
  packCountingState,
  unpackCountingState,
  writeCountingState,
} from './counting-state.ts';
import { formatSeriesName, hasReadingAfterEarlierRoles, type SeriesState } from './device-state.ts';
import type { DeviceHead } from './head.ts';
import { MAX_OPEN_HOUR_BYTES, OPEN_HOUR_VALUE_COUNT, writeOpenHour } from './open-hour.ts';
import { type TextWriter, writeInteger } from './statement.ts';

const MAX_NAMES = 10_000;

/** Assigns numbers to the names of series. Many meters share these names. */
export function createSeriesNameRegistry() {
  /** Two levels, because a combined key would need a new string for each reading. */
  const numbers = new Map<string, Map<string, number>>();
  const names: { readonly channel: string; readonly kind: string }[] = [];
  return {
    /** Returns the number of a series' name, and assigns one if necessary. -1 if there are too many names. */
    numberOf(channel: string, kind: string): number {
      const ofChannel = numbers.get(channel);
      const known = ofChannel?.get(kind);
      if (known !== undefined) return known;
      if (names.length === MAX_NAMES) return -1;
      const number = names.push({ channel, kind }) - 1;
      if (ofChannel) ofChannel.set(kind, number);
      else numbers.set(channel, new Map([[kind, number]]));
      return number;
    },
    find: (channel: string, kind: string): number => numbers.get(channel)?.get(kind) ?? -1,
    /** Whether there are too many names, so that the caller must start again with an empty cache. */
    isFull: () => names.length === MAX_NAMES,
    nameOf: (number: number) => names[number] as (typeof names)[number],
  };
}

export type SeriesNameRegistry = ReturnType<typeof createSeriesNameRegistry>;

/** Maximum number of series per record. A device with more is not cached. */
const MAX_SERIES = 256;

/**
 * Positions of the numbers in a cached record, which contains the state of a device. NaN stands for "no register maximum" and "no open
 * hour".
 */
export const DEVICE_HEAD_RECORD_OFFSETS = {
  version: 0,
  limitKw: 1,
  registerMaxKwh: 2,
  maxGapMinutes: 3,
  hour: 4,
  quarters: 5,
  seriesCount: 5 + OPEN_HOUR_VALUE_COUNT,
  userIdLength: 6 + OPEN_HOUR_VALUE_COUNT,
  /** Index of the device in the latest batch that contained it. */
  mark: 7 + OPEN_HOUR_VALUE_COUNT,
  series: 8 + OPEN_HOUR_VALUE_COUNT,
} as const;

/** Positions of the numbers of a series in a cached record. `lastValue`: NaN if unknown. */
export const SERIES_BLOCK_OFFSETS = {
  name: 0,
  roles: 1,
  seriesId: 2,
  lastReadAtMs: 3,
  lastValue: 4,
  state: 5,
} as const;
export const SERIES_BLOCK_LENGTH = SERIES_BLOCK_OFFSETS.state + PACKED_STATE_LENGTH;

const ROLES: readonly SeriesRoles[] = [{}, { isTariff: true }].flatMap((tariff) =>
  [null, ...AGGREGATED_QUANTITIES].flatMap((meter) =>
    [0, 1, 2, 3].map((bits) => ({ import: (bits & 1) !== 0, export: (bits & 2) !== 0, meter, ...tariff })),
  ),
);
/**
 * Flags in the two lowest bits of the packed roles. `IS_ZERO`: all readings so far are 0. `IS_BEHIND`: the role (the totals to which the
 * series contributes) has changed since the last reading.
 */
const [IS_ZERO, IS_BEHIND, FLAGS] = [1, 2, 4];
const isZero = ({ kind, nonzeroAtMs }: SeriesState) => kind === 'register' && nonzeroAtMs === null;
const isBehind = (series: SeriesState) => series.isBehind || !hasReadingAfterEarlierRoles(series);

const packRoles = (series: SeriesState): number =>
  FLAGS * roleNumber(series) + (isZero(series) ? IS_ZERO : 0) + (isBehind(series) ? IS_BEHIND : 0);

/** Packs the roles of a series (the totals to which it contributes) and its `tariffSinceMs` into one number. */
function roleNumber({ roles, tariffSinceMs }: SeriesState): number {
  const { import: imports, export: exports, meter, isTariff } = roles;
  const bits =
    Number(imports) + 2 * Number(exports) + 4 * (meter === null ? 0 : AGGREGATED_QUANTITIES.indexOf(meter) + 1);
  return isTariff ? bits + ROLES.length / 2 + ROLES.length * Math.max(0, tariffSinceMs) : bits;
}
export const unpackSeriesRoles = (number: number): SeriesRoles =>
  ROLES[Math.floor(number / FLAGS) % ROLES.length] as SeriesRoles;
const sinceOf = (number: number): number => Math.floor(number / (FLAGS * ROLES.length)) || Number.NEGATIVE_INFINITY;

/**
 * Whether the next reading may change the totals to which a series contributes. `number`: packed roles. `value`: value of the next reading.
 */
export const canReadingChangeSeriesRoles = (number: number, value: number): boolean =>
  number % FLAGS !== 0 && (number % FLAGS >= IS_BEHIND || value !== 0);

export const getRecordLengthAt = (numbers: Float64Array, at: number): number =>
  DEVICE_HEAD_RECORD_OFFSETS.series +
  (numbers[at + DEVICE_HEAD_RECORD_OFFSETS.seriesCount] as number) * SERIES_BLOCK_LENGTH;

/** Returns the index of a series' block in a record; -1 if there is none. `name`: number of the series' name. */
export function findSeriesBlockIndex(numbers: Float64Array, at: number, name: number): number {
  const end = at + getRecordLengthAt(numbers, at);
  for (let place = at + DEVICE_HEAD_RECORD_OFFSETS.series; place < end; place += SERIES_BLOCK_LENGTH)
    if (numbers[place + SERIES_BLOCK_OFFSETS.name] === name) return place;
  return -1;
}

export function readSettingsFromRecord(numbers: Float64Array, at: number, into: Writable<CountingSettings>): void {
  const registerMaxKwh = numbers[at + DEVICE_HEAD_RECORD_OFFSETS.registerMaxKwh] as number;
  into.limitKw = numbers[at + DEVICE_HEAD_RECORD_OFFSETS.limitKw] as number;
  into.registerMaxKwh = Number.isNaN(registerMaxKwh) ? null : registerMaxKwh;
  into.maxGapMinutes = numbers[at + DEVICE_HEAD_RECORD_OFFSETS.maxGapMinutes] as number;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Maximum length in bytes of the text for one series. */
const MAX_SERIES_STATE_BYTES = 2 * 17 + MAX_COUNTING_STATE_BYTES + 5;
const [COMMA, OPENING, CLOSING] = [44, 91, 93];

/** Writes the states of all series in a record as the JSON of `device_heads.laws`. */
export function writeCountingStatesOfRecord(states: TextWriter, numbers: Float64Array, at: number): void {
  const count = numbers[at + DEVICE_HEAD_RECORD_OFFSETS.seriesCount] as number;
  let place = states.begin(2 + count * MAX_SERIES_STATE_BYTES);
  const { bytes } = states;
  bytes[place++] = OPENING;
  for (let one = 0; one < count; one++) {
    const series = at + DEVICE_HEAD_RECORD_OFFSETS.series + one * SERIES_BLOCK_LENGTH;
    if (one > 0) bytes[place++] = COMMA;
    bytes[place] = OPENING;
    place = writeInteger(bytes, numbers[series + SERIES_BLOCK_OFFSETS.seriesId] as number, place + 1);
    bytes[place] = COMMA;
    const lastReadAtMs = numbers[series + SERIES_BLOCK_OFFSETS.lastReadAtMs] as number;
    place = writeInteger(bytes, lastReadAtMs, place + 1);
    bytes[place] = COMMA;
    place = writeCountingState(bytes, numbers, series + SERIES_BLOCK_OFFSETS.state, lastReadAtMs, place + 1);
    bytes[place++] = CLOSING;
  }
  bytes[place++] = CLOSING;
  states.end(place);
}

/** Writes the latest hour of a record as `device_heads.open`. Nothing is written if all values are 0. */
export function writeOpenHourOfRecord(opens: TextWriter, numbers: Float64Array, at: number): void {
  if (!hasOpenHour(numbers, at)) numbers[at + DEVICE_HEAD_RECORD_OFFSETS.hour] = Number.NaN;
  const hour = numbers[at + DEVICE_HEAD_RECORD_OFFSETS.hour] as number;
  if (Number.isNaN(hour)) {
    opens.addNull();
    return;
  }
  const place = opens.begin(MAX_OPEN_HOUR_BYTES);
  opens.end(writeOpenHour(opens.bytes, hour, numbers, at + DEVICE_HEAD_RECORD_OFFSETS.quarters, place));
}

function hasOpenHour(numbers: Float64Array, at: number): boolean {
  const first = at + DEVICE_HEAD_RECORD_OFFSETS.quarters;
  for (let index = first; index < first + OPEN_HOUR_VALUE_COUNT; index++) if (numbers[index] !== 0) return true;
  return false;
}

export function readUserIdFromRecord({ bytes, numbers }: ByteRing, at: number): string {
  const place = (at + getRecordLengthAt(numbers, at)) * BYTES_PER_NUMBER;
  return bytes.toString('latin1', place, place + (numbers[at + DEVICE_HEAD_RECORD_OFFSETS.userIdLength] as number));
}

/**
 * Packs the state of a device into a cached record. Returns false if this is impossible; the cache then contains no record of the device.
 */
export function packDeviceHead(ring: ByteRing, names: SeriesNameRegistry, head: DeviceHead): boolean {
  const isPacked = head.series.size <= MAX_SERIES && pack(ring, names, head);
  if (!isPacked) ring.delete(head.deviceId);
  return isPacked;
}

function pack(ring: ByteRing, names: SeriesNameRegistry, head: DeviceHead): boolean {
  const { deviceId, userId, settings, series, version, open } = head;
  const { bytes, numbers } = ring;
  const length = DEVICE_HEAD_RECORD_OFFSETS.series + series.size * SERIES_BLOCK_LENGTH;
  const place = ring.reserve(deviceId, length * BYTES_PER_NUMBER + userId.length);
  if (place === -1) return false;
  const at = place / BYTES_PER_NUMBER;
  numbers[at + DEVICE_HEAD_RECORD_OFFSETS.version] = version;
  numbers[at + DEVICE_HEAD_RECORD_OFFSETS.limitKw] = settings.limitKw;
  numbers[at + DEVICE_HEAD_RECORD_OFFSETS.registerMaxKwh] = settings.registerMaxKwh ?? Number.NaN;
  numbers[at + DEVICE_HEAD_RECORD_OFFSETS.maxGapMinutes] = settings.maxGapMinutes;
  numbers[at + DEVICE_HEAD_RECORD_OFFSETS.hour] = open?.hour ?? Number.NaN;
  for (let index = 0; index < OPEN_HOUR_VALUE_COUNT; index++)
    numbers[at + DEVICE_HEAD_RECORD_OFFSETS.quarters + index] = open?.quarters[index] ?? 0;
  numbers[at + DEVICE_HEAD_RECORD_OFFSETS.seriesCount] = series.size;
  numbers[at + DEVICE_HEAD_RECORD_OFFSETS.userIdLength] = userId.length;
  let one = at + DEVICE_HEAD_RECORD_OFFSETS.series;
  for (const state of series.values()) {
    const { channel, kind, seriesId, lastReadAtMs, lastValue, tail } = state;
    const name = names.numberOf(channel, kind);
    if (name === -1 || seriesId === null || lastReadAtMs === null) return false;
    // The slow path would need the earlier role (contribution to totals) of this tariff register, which a cached record does not contain.
    if (state.roles.isTariff && isBehind(state)) return false;
    numbers[one + SERIES_BLOCK_OFFSETS.name] = name;
    numbers[one + SERIES_BLOCK_OFFSETS.roles] = packRoles(state);
    numbers[one + SERIES_BLOCK_OFFSETS.seriesId] = seriesId;
    numbers[one + SERIES_BLOCK_OFFSETS.lastReadAtMs] = lastReadAtMs;
    numbers[one + SERIES_BLOCK_OFFSETS.lastValue] = lastValue ?? Number.NaN;
    if (!packCountingState(tail, numbers, one + SERIES_BLOCK_OFFSETS.state)) return false;
    one += SERIES_BLOCK_LENGTH;
  }
  bytes.write(userId, one * BYTES_PER_NUMBER, 'latin1');
  return true;
}

/** Returns the cached state of a device as an object. Null if it is not cached. */
export function unpackDeviceHead(ring: ByteRing, names: SeriesNameRegistry, deviceId: string): DeviceHead | null {
  const place = ring.offsetOf(deviceId);
  if (place === -1) return null;
  const { numbers } = ring;
  const at = place / BYTES_PER_NUMBER;
  const number = (of: number) => numbers[at + of] as number;
  const series = new Map<string, SeriesState>();
  for (
    let one = at + DEVICE_HEAD_RECORD_OFFSETS.series;
    one < at + getRecordLengthAt(numbers, at);
    one += SERIES_BLOCK_LENGTH
  ) {
    const { channel, kind } = names.nameOf(numbers[one + SERIES_BLOCK_OFFSETS.name] as number);
    const lastValue = numbers[one + SERIES_BLOCK_OFFSETS.lastValue] as number;
    const flags = (numbers[one + SERIES_BLOCK_OFFSETS.roles] as number) % FLAGS;
    series.set(formatSeriesName(channel, kind), {
      seriesId: numbers[one + SERIES_BLOCK_OFFSETS.seriesId] as number,
      channel,
      kind,
      ...(flags % IS_BEHIND === IS_ZERO && { nonzeroAtMs: null }),
      ...(flags >= IS_BEHIND && { isBehind: true }),
      roles: unpackSeriesRoles(numbers[one + SERIES_BLOCK_OFFSETS.roles] as number),
      tariffSinceMs: sinceOf(numbers[one + SERIES_BLOCK_OFFSETS.roles] as number),
      lastReadAtMs: numbers[one + SERIES_BLOCK_OFFSETS.lastReadAtMs] as number,
      lastValue: Number.isNaN(lastValue) ? undefined : lastValue,
      tail: unpackCountingState(numbers, one + SERIES_BLOCK_OFFSETS.state),
      closedUntilMs: null,
    });
  }
  const registerMaxKwh = number(DEVICE_HEAD_RECORD_OFFSETS.registerMaxKwh);
  const hour = number(DEVICE_HEAD_RECORD_OFFSETS.hour);
  const quarters = Array.from({ length: OPEN_HOUR_VALUE_COUNT }, (_, index) =>
    number(DEVICE_HEAD_RECORD_OFFSETS.quarters + index),
  );
  return {
    deviceId,
    userId: readUserIdFromRecord(ring, at),
    settings: {
      limitKw: number(DEVICE_HEAD_RECORD_OFFSETS.limitKw),
      registerMaxKwh: Number.isNaN(registerMaxKwh) ? null : registerMaxKwh,
      maxGapMinutes: number(DEVICE_HEAD_RECORD_OFFSETS.maxGapMinutes),
    },
    computedWith: null,
    series,
    version: number(DEVICE_HEAD_RECORD_OFFSETS.version),
    open: Number.isNaN(hour) ? null : { hour, quarters },
    isSettled: true,
  };
}
