/** PostgreSQL's epoch, 2000-01-01, in Unix ms. */
const POSTGRES_EPOCH_MS = 946_684_800_000;
const OID = { boolean: 16, int8: 20, text: 25, timestamptz: 1184 };

/** The 20 bytes that an array begins with: dimensions, that there may be nulls, the elements' type, their number, the first index. */
function begin(buffer: Buffer, oid: number, length: number): void {
  buffer.writeInt32BE(1, 0);
  buffer.writeInt32BE(1, 4);
  buffer.writeInt32BE(oid, 8);
  buffer.writeInt32BE(length, 12);
  buffer.writeInt32BE(1, 16);
}

/** One-dimensional array of 8-byte elements in PostgreSQL's binary format (array_recv): a third faster than text. */
function encode(oid: number, values: readonly number[], scale: (value: number) => number): Buffer {
  const buffer = Buffer.allocUnsafe(20 + values.length * 12);
  begin(buffer, oid, values.length);
  let offset = 20;
  for (const value of values) {
    const scaled = scale(value);
    const high = Math.floor(scaled / 4_294_967_296);
    buffer.writeInt32BE(8, offset);
    buffer.writeInt32BE(high, offset + 4);
    buffer.writeUInt32BE(scaled - high * 4_294_967_296, offset + 8);
    offset += 12;
  }
  return buffer;
}

/** Safe integers as a `bigint[]` parameter. */
export const int8Array = (values: readonly number[]): Buffer => encode(OID.int8, values, (value) => value);

/** Unix times in ms as a `timestamptz[]` parameter. */
export const timestampArray = (unixMs: readonly number[]): Buffer =>
  encode(OID.timestamptz, unixMs, (value) => (value - POSTGRES_EPOCH_MS) * 1000);

/** Booleans as a `boolean[]` parameter. */
export function booleanArray(values: readonly boolean[]): Buffer {
  const buffer = Buffer.allocUnsafe(20 + values.length * 5);
  begin(buffer, OID.boolean, values.length);
  let offset = 20;
  for (const value of values) {
    buffer.writeInt32BE(1, offset);
    buffer[offset + 4] = value ? 1 : 0;
    offset += 5;
  }
  return buffer;
}

/** Texts, or nulls, as a `text[]` parameter. */
export function textArray(values: readonly (string | null)[]): Buffer {
  let bytes = 20;
  for (const value of values) bytes += 4 + (value === null ? 0 : Buffer.byteLength(value));
  const buffer = Buffer.allocUnsafe(bytes);
  begin(buffer, OID.text, values.length);
  let offset = 20;
  for (const value of values) {
    const length = value === null ? -1 : buffer.write(value, offset + 4);
    buffer.writeInt32BE(length, offset);
    offset += 4 + Math.max(0, length);
  }
  return buffer;
}
