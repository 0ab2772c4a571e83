import { isDeepStrictEqual } from 'node:util';
import type { IntervalState } from '#ingest/normalise/intervals.ts';
import type { PowerState } from '#ingest/normalise/power.ts';
import type { RegisterState } from '#ingest/normalise/registers.ts';

/**
 * Packs the state of a rule that converts readings into energy into a few numbers, so that it can be cached outside of the JavaScript heap.
 * A state cannot be packed if it has an unconfirmed reading, or if an earlier version of the service has written it. Such a state is stored
 * as JSON and not cached.
 */

/**
 * Kinds of packed states, by what the series measures: nothing that contributes to a total (NOTHING), a register (RUN), a power, or the
 * energy of intervals.
 */
const [NOTHING, RUN, POWER, INTERVAL] = [0, 1, 2, 3];

/** Maximum length of a packed state in numbers: five readings of a register, each with a time and a value. */
const MAX_NUMBERS = 10;

export const PACKED_STATE_LENGTH = 2 + MAX_NUMBERS;

/** Packs a state into numbers from index `at` on. Returns false if the state cannot be packed. */
export function packCountingState(state: unknown, into: Float64Array, at: number): boolean {
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
    if (!Number.isSafeInteger(value) || !Number.isSafeInteger(value - (run[index % 2] as number))) return false;
    into[at + 2 + index] = value;
  }
  return true;
}

export function unpackCountingState(from: Float64Array, at: number): unknown {
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

/**
 * A packed state is stored as text: a letter for its kind, and the differences between its numbers in base64 VLQ
 * (https://tc39.es/ecma426/#sec-base64-vlq). The text takes a third of the bytes of JSON.
 */
const [QUOTE, KIND_LETTERS] = [34, '-RPI'];
const NULL = Buffer.from('null', 'latin1');
const DIGITS = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', 'latin1');
/** Bit of a base64 digit that shows that another digit follows. */
const CONTINUES = 32;
/** Number of values that the first base64 digit can express. Two of its six bits are the sign and CONTINUES. */
const FIRST = 16;

/** Maximum length in bytes of the text of a packed state. */
export const MAX_COUNTING_STATE_BYTES = 3 + 11 * MAX_NUMBERS;

/** Writes a packed state as text, and returns the index at which the text ends. `lastReadAtMs`: time of the last reading of the series. */
export function writeCountingState(
  bytes: Uint8Array,
  from: Float64Array,
  at: number,
  lastReadAtMs: number,
  place: number,
): number {
  const kind = from[at] as number;
  if (kind === NOTHING) {
    bytes.set(NULL, place);
    return place + NULL.length;
  }
  bytes[place] = QUOTE;
  bytes[place + 1] = KIND_LETTERS.charCodeAt(kind);
  let next = place + 2;
  const [first, length] = [at + 2, from[at + 1] as number];
  for (let index = 0; index < length; index++) {
    const base = index === 0 ? lastReadAtMs : index === 1 ? 0 : (from[first + (index & 1)] as number);
    next = writeDifference(bytes, (from[first + index] as number) - base, next);
  }
  bytes[next] = QUOTE;
  return next + 1;
}

/** Writes a safe integer as base64 digits. It may have more than 32 bits, so bit operations are not possible. */
function writeDifference(bytes: Uint8Array, value: number, place: number): number {
  const size = Math.abs(value);
  let rest = Math.floor(size / FIRST);
  let digit = (size % FIRST) * 2 + (value < 0 ? 1 : 0);
  let next = place;
  while (rest > 0) {
    bytes[next++] = DIGITS[digit + CONTINUES] as number;
    digit = rest % CONTINUES;
    rest = Math.floor(rest / CONTINUES);
  }
  bytes[next] = DIGITS[digit] as number;
  return next + 1;
}

const scratch = { numbers: new Float64Array(PACKED_STATE_LENGTH), bytes: Buffer.alloc(MAX_COUNTING_STATE_BYTES) };

/** Formats a state in the format of `writeCountingState` or, if it cannot be packed, as JSON. */
export function formatCountingState(state: unknown, lastReadAtMs: number): string {
  const { numbers, bytes } = scratch;
  const isPacked = packCountingState(state, numbers, 0) && isDeepStrictEqual(unpackCountingState(numbers, 0), state);
  if (!isPacked) return JSON.stringify(state);
  return bytes.toString('latin1', 0, writeCountingState(bytes, numbers, 0, lastReadAtMs, 0));
}

/** Reads a state from the parsed JSON of `device_heads.laws`. Throws if no version of the service can have written it. */
export function parseCountingState(stored: unknown, lastReadAtMs: number): unknown {
  if (typeof stored !== 'string') return stored;
  const { numbers } = scratch;
  numbers[0] = KIND_LETTERS.indexOf(stored.charAt(0));
  let length = 0;
  for (let place = 1; place < stored.length; length++) {
    const end = endOfDifference(stored, place);
    const base = length === 0 ? lastReadAtMs : length === 1 ? 0 : (numbers[2 + (length & 1)] as number);
    numbers[2 + length] = readDifference(stored, place, end) + base;
    place = end;
  }
  numbers[1] = length;
  if ((numbers[0] as number) < RUN || length === 0 || length > MAX_NUMBERS) throw new UnknownState(stored);
  return unpackCountingState(numbers, 0);
}

class UnknownState extends Error {
  constructor(stored: string) {
    super(
      `device_heads.laws has the state ${stored}, which no version up to this one wrote: start the version that did`,
    );
  }
}

const digitAt = (text: string, place: number): number => {
  const digit = place < text.length ? DIGITS.indexOf(text.charCodeAt(place)) : -1;
  if (digit === -1) throw new UnknownState(text);
  return digit;
};

function endOfDifference(text: string, place: number): number {
  let end = place;
  while (digitAt(text, end) >= CONTINUES) end++;
  return end + 1;
}

function readDifference(text: string, place: number, end: number): number {
  let size = 0;
  for (let next = end - 1; next > place; next--) size = size * CONTINUES + (digitAt(text, next) % CONTINUES);
  const first = digitAt(text, place) % CONTINUES;
  size = size * FIRST + Math.floor(first / 2);
  return first % 2 === 1 ? -size : size;
}
