import type { PoolClient } from '#src/database/connect.ts';

/**
 * A statement of a batch. It contains its values in PostgreSQL's wire format and refers to no other object, so that the garbage collector
 * can free the batch while the database writes.
 */
export type BatchStatement = (client: PoolClient) => Promise<unknown>;

// Raw SQL: takes arrays for the whole batch, and is prepared, because each batch runs it.
/** Creates a statement that ignores its result. */
export const createBatchStatement =
  (query: { name?: string; text: string; values: unknown[] }): BatchStatement =>
  (client) =>
    client.query(query);

/** PostgreSQL's epoch, 2000-01-01, in Unix ms. */
const POSTGRES_EPOCH_MS = 946_684_800_000;
const OID = { boolean: 16, int8: 20, text: 25, timestamptz: 1184 };

const HEADER_BYTES = 20;
/** Writes the header of an array in PostgreSQL's binary format. */
function begin(buffer: Buffer, oid: number, length: number): void {
  buffer.writeInt32BE(1, 0);
  buffer.writeInt32BE(1, 4);
  buffer.writeInt32BE(oid, 8);
  buffer.writeInt32BE(length, 12);
  buffer.writeInt32BE(1, 16);
}

/** Encodes an array of 8-byte elements in PostgreSQL's binary format, which takes a third less time than text. */
function encode(oid: number, values: readonly number[], scale: (value: number) => number): Buffer {
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + values.length * 12);
  begin(buffer, oid, values.length);
  let offset = HEADER_BYTES;
  // Uses an index, because an iterator would create an object for each number.
  for (let index = 0; index < values.length; index++) {
    const scaled = scale(values[index] as number);
    const high = Math.floor(scaled / 4_294_967_296);
    buffer.writeInt32BE(8, offset);
    buffer.writeInt32BE(high, offset + 4);
    buffer.writeUInt32BE(scaled - high * 4_294_967_296, offset + 8);
    offset += 12;
  }
  return buffer;
}

/** Encodes safe integers as a `bigint[]` parameter. */
export const encodeBigints = (values: readonly number[]): Buffer => encode(OID.int8, values, (value) => value);

/** Encodes Unix times in ms as a `timestamptz[]` parameter. */
export const encodeTimestamps = (unixMs: readonly number[]): Buffer =>
  encode(OID.timestamptz, unixMs, (value) => (value - POSTGRES_EPOCH_MS) * 1000);

export function encodeBooleans(values: readonly boolean[]): Buffer {
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + values.length * 5);
  begin(buffer, OID.boolean, values.length);
  let offset = HEADER_BYTES;
  for (const value of values) {
    buffer.writeInt32BE(1, offset);
    buffer[offset + 4] = value ? 1 : 0;
    offset += 5;
  }
  return buffer;
}

/** Elements of a `text[]` parameter in PostgreSQL's wire format, each after its length. */
export interface EncodedTextElements {
  readonly bytes: Buffer;
  readonly count: number;
}

/** Length that PostgreSQL's wire format uses for a null element. */
const NULL_LENGTH = -1;

export function encodeTextElements(values: readonly (string | null)[]): EncodedTextElements {
  let length = 0;
  for (const value of values) length += 4 + (value === null ? 0 : Buffer.byteLength(value));
  const bytes = Buffer.allocUnsafe(length);
  let offset = 0;
  for (const value of values) {
    const written = value === null ? NULL_LENGTH : bytes.write(value, offset + 4);
    bytes.writeInt32BE(written, offset);
    offset += 4 + Math.max(0, written);
  }
  return { bytes, count: values.length };
}

export function joinTextElements(...parts: readonly EncodedTextElements[]): Buffer {
  const buffer = Buffer.allocUnsafe(parts.reduce((sum, { bytes }) => sum + bytes.length, HEADER_BYTES));
  begin(
    buffer,
    OID.text,
    parts.reduce((sum, { count }) => sum + count, 0),
  );
  let offset = HEADER_BYTES;
  for (const { bytes } of parts) offset += bytes.copy(buffer, offset);
  return buffer;
}

/** Encodes strings or nulls as a `text[]` parameter. */
export const encodeTexts = (values: readonly (string | null)[]): Buffer => joinTextElements(encodeTextElements(values));

const LENGTH_BYTES = 4;

/** Creates a writer of `text[]` elements. It reuses its memory. */
export function createTextWriter() {
  let bytes = Buffer.allocUnsafeSlow(2 ** 16);
  let length = 0;
  let count = 0;
  function makeRoom(room: number): void {
    if (length + room <= bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (length + room));
    bytes.copy(larger, 0, 0, length);
    bytes = larger;
  }
  return {
    /** Memory of the writer. begin() may replace it, so read this property again after each call. */
    get bytes(): Buffer {
      return bytes;
    },
    /** Starts an element. Returns the index in `bytes` from which up to `maxBytes` bytes may be written. */
    begin(maxBytes: number): number {
      makeRoom(LENGTH_BYTES + maxBytes);
      return length + LENGTH_BYTES;
    },
    /** Ends the current element before the index `at`. */
    end(at: number): void {
      bytes.writeInt32BE(at - length - LENGTH_BYTES, length);
      length = at;
      count++;
    },
    addNull(): void {
      makeRoom(LENGTH_BYTES);
      bytes.writeInt32BE(NULL_LENGTH, length);
      length += LENGTH_BYTES;
      count++;
    },
    take(): EncodedTextElements {
      return { bytes: Buffer.from(bytes.subarray(0, length)), count };
    },
    clear(): void {
      length = count = 0;
    },
  };
}

export type TextWriter = ReturnType<typeof createTextWriter>;

const [MINUS, ZERO] = [45, 48];
/** Integers are split into two parts, because 32-bit arithmetic is faster. */
const [LOW, LOW_DIGITS] = [1_000_000_000, 9];

/** Writes a safe integer in decimal digits without creating a string. Returns the index after the last digit. */
export function writeInteger(bytes: Uint8Array, value: number, at: number): number {
  if (value < 0) {
    bytes[at] = MINUS;
    return writeInteger(bytes, -value, at + 1);
  }
  if (value < LOW) return writeDigits(bytes, value, at, digitsOf(value));
  const high = Math.floor(value / LOW);
  return writeDigits(bytes, value - high * LOW, writeDigits(bytes, high, at, digitsOf(high)), LOW_DIGITS);
}

function digitsOf(value: number): number {
  let digits = 1;
  for (let bound = 10; value >= bound; bound *= 10) digits++;
  return digits;
}

function writeDigits(bytes: Uint8Array, value: number, at: number, digits: number): number {
  let rest = value | 0;
  for (let place = at + digits - 1; place >= at; place--) {
    const tenth = (rest / 10) | 0;
    bytes[place] = ZERO + rest - tenth * 10;
    rest = tenth;
  }
  return at + digits;
}
