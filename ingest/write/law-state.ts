import type { IntervalState } from '#ingest/normalise/intervals.ts';
import type { PowerState } from '#ingest/normalise/power.ts';
import type { RegisterState } from '#ingest/normalise/registers.ts';
import { writeInteger } from './statement.ts';

/**
 * This file packs states of laws into a few numbers each, so that they can be stored outside of the JavaScript heap and written for the
 * database without intermediate strings or objects. Some states cannot be packed (a reading is held; an earlier edition's state): a head
 * with such a state is not cached, but loaded with each batch.
 */

/** Kinds of packed states: no law, a register's run, a power's last reading, the end of an interval. */
const [NOTHING, RUN, POWER, INTERVAL] = [0, 1, 2, 3];

/** Maximum number of numbers in a state: a run has its last two readings and three more, with a time and a value each. */
const MAX_NUMBERS = 10;

/** Length of a packed state: its kind, the number of numbers that follow, and these. */
export const PACKED_STATE_LENGTH = 2 + MAX_NUMBERS;

/** Packs a state. Returns false if it cannot be packed, or contains a number that is not whole. */
export function packLawState(state: unknown, into: Float64Array, at: number): boolean {
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

/** Unpacks a state. */
export function unpackLawState(from: Float64Array, at: number): unknown {
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

/** JSON of each kind of state: its beginning, the separator of its numbers, and its end. */
const TEXTS = [
  ['null', '', ''],
  ['{"run":[', ',', ']}'],
  ['{"lastAtMs":', ',"lastMw":', '}'],
  ['{"keptEndMs":', '', '}'],
].map((parts) => parts.map((part) => Buffer.from(part, 'latin1'))) as [Buffer, Buffer, Buffer][];

/** Writes a packed state as JSON. Returns the end of the text. */
export function writeLawState(bytes: Uint8Array, from: Float64Array, at: number, place: number): number {
  const [begin, between, end] = TEXTS[from[at] as number] as [Buffer, Buffer, Buffer];
  let next = writeText(bytes, begin, place);
  const length = from[at + 1] as number;
  for (let index = 0; index < length; index++) {
    if (index > 0) next = writeText(bytes, between, next);
    next = writeInteger(bytes, from[at + 2 + index] as number, next);
  }
  return writeText(bytes, end, next);
}

/** Copies byte by byte: for so few bytes, a call to a copy function costs more. */
function writeText(bytes: Uint8Array, text: Uint8Array, place: number): number {
  for (let index = 0; index < text.length; index++) bytes[place + index] = text[index] as number;
  return place + text.length;
}
