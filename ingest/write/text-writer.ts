import { NULL_LENGTH, type TextElements } from './binary-array.ts';

/**
 * Writes texts as elements of a `text[]` parameter, byte by byte, into memory that it keeps: of a thousand heads neither texts nor
 * numbers as texts become garbage.
 */
export interface TextWriter {
  /** Where the next text may be written, in `bytes`, up to so many bytes of it. */
  begin(maxBytes: number): number;
  /** The memory, as it is once a text has begun: it grows. */
  readonly bytes: Buffer;
  /** The text that was begun ends here. */
  end(at: number): void;
  addNull(): void;
  /** What was written, a copy. */
  take(): TextElements;
  /** Begins anew. */
  clear(): void;
}

const LENGTH_BYTES = 4;

export function textWriter(): TextWriter {
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
    get bytes() {
      return bytes;
    },
    begin(maxBytes) {
      makeRoom(LENGTH_BYTES + maxBytes);
      return length + LENGTH_BYTES;
    },
    end(at) {
      bytes.writeInt32BE(at - length - LENGTH_BYTES, length);
      length = at;
      count++;
    },
    addNull() {
      makeRoom(LENGTH_BYTES);
      bytes.writeInt32BE(NULL_LENGTH, length);
      length += LENGTH_BYTES;
      count++;
    },
    take() {
      return { bytes: Buffer.from(bytes.subarray(0, length)), count };
    },
    clear() {
      length = count = 0;
    },
  };
}
