/**
 * Records of numbers and bytes by a key, of at most `maxBytes` together, outside of the JavaScript heap: a hundred thousand objects
 * that change every few seconds would cost the garbage collector as much as all the rest of ingest. A record is written in the
 * place that its key has, or behind the latest one, where those that have been there for longest give way. Keys are ASCII.
 */
export interface ByteRing {
  readonly bytes: Buffer;
  /** The same memory. A record's content begins on a bound of it: at a place ÷ 8. */
  readonly numbers: Float64Array;
  /** Where the content of a key's record begins, in bytes; -1: it has none. */
  placeOf(key: string): number;
  /** Where the content of a key's record may be written, anew and whole; -1: it is too long. `length`: in bytes. */
  reserve(key: string, length: number): number;
  delete(key: string): void;
  clear(): void;
}

/** Bytes of a number: records, keys and contents have multiples of it. */
export const NUMBER_BYTES = 8;
/** Of each record: its size, 4 bytes; the length of its key, 4 bytes; the key. Then its content. */
const HEADER_BYTES = 8;
/** Longest key: a device_id has up to 64 characters. */
const MAX_KEY_BYTES = 255;

const inNumbers = (bytes: number): number => Math.ceil(bytes / NUMBER_BYTES) * NUMBER_BYTES;

export function byteRing(maxBytes: number): ByteRing {
  // The system gives memory to what is written only.
  const bytes = Buffer.allocUnsafeSlow(inNumbers(maxBytes));
  const numbers = new Float64Array(bytes.buffer, 0, bytes.length / NUMBER_BYTES);
  const sizes = new Uint32Array(bytes.buffer, 0, bytes.length / 4);
  /** Where the record of each key begins. */
  const places = new Map<string, number>();
  /** Where the next record goes. */
  let next = 0;
  /** Records of the lap before, which the next one writes over, begin here, and end there. */
  let oldest = 0;
  let lapEnd = 0;

  const sizeAt = (place: number) => sizes[place / 4] as number;
  const keyBytesAt = (place: number) => sizes[place / 4 + 1] as number;
  const keyAt = (place: number) =>
    bytes.toString('latin1', place + HEADER_BYTES, place + HEADER_BYTES + keyBytesAt(place));
  const contentOf = (place: number) => place + HEADER_BYTES + inNumbers(keyBytesAt(place));
  /** Forgets records of the lap before, up to a place. */
  function giveWay(upTo: number): void {
    while (oldest < lapEnd && oldest < upTo) {
      const key = keyAt(oldest);
      if (places.get(key) === oldest) places.delete(key);
      oldest += sizeAt(oldest);
    }
  }

  return {
    bytes,
    numbers,
    placeOf(key) {
      const place = places.get(key);
      return place === undefined ? -1 : contentOf(place);
    },
    reserve(key, length) {
      const needed = HEADER_BYTES + inNumbers(key.length) + length;
      const known = places.get(key);
      if (known !== undefined) {
        if (needed <= sizeAt(known)) return contentOf(known);
        places.delete(key);
      }
      const size = inNumbers(needed);
      if (size > maxBytes || key.length > MAX_KEY_BYTES) return -1;
      if (next + size > maxBytes) {
        giveWay(lapEnd);
        [lapEnd, oldest, next] = [next, 0, 0];
      }
      giveWay(next + size);
      const place = next;
      sizes[place / 4] = size;
      sizes[place / 4 + 1] = key.length;
      bytes.write(key, place + HEADER_BYTES, 'latin1');
      // A key of its own: the one that was given may be part of a longer text, which it would keep in memory.
      places.set(keyAt(place), place);
      next += size;
      return contentOf(place);
    },
    delete(key) {
      places.delete(key);
    },
    clear() {
      places.clear();
      next = oldest = lapEnd = 0;
    },
  };
}
