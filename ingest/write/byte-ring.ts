import { hashOf, placeIndex } from './place-index.ts';

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
  /** The same of many keys. Of a million records each is far away in memory: they are fetched side by side, not one after the other. */
  placesOf(keys: readonly string[]): Float64Array;
  /** Where the content of a key's record may be written, anew and whole; -1: it is too long. `length`: in bytes. */
  reserve(key: string, length: number): number;
  delete(key: string): void;
  clear(): void;
}

/** Bytes of a number: records, keys and contents have multiples of it. */
export const NUMBER_BYTES = 8;
/** Of each record: its size, 4 bytes; the hash of its key, 4 bytes; the length of the key, a byte; the key. Then its content. */
const HEADER_BYTES = 9;
/** Longest key: a device_id has up to 64 characters. */
const MAX_KEY_BYTES = 255;
/** What a processor fetches at once, and how much of a record that is: a meter's has some 460 bytes. */
const [LINE_BYTES, LINES] = [64, 8];

const inNumbers = (bytes: number): number => Math.ceil(bytes / NUMBER_BYTES) * NUMBER_BYTES;
const contentAfter = (place: number, keyLength: number) => place + inNumbers(HEADER_BYTES + keyLength);

export function byteRing(maxBytes: number): ByteRing {
  // The system gives memory to what is written only.
  const bytes = Buffer.allocUnsafeSlow(inNumbers(maxBytes));
  const numbers = new Float64Array(bytes.buffer, 0, bytes.length / NUMBER_BYTES);
  const words = new Uint32Array(bytes.buffer, 0, bytes.length / 4);
  /** Where the next record goes. */
  let next = 0;
  /** Records of the lap before, which the next one writes over, begin here, and end there. */
  let oldest = 0;
  let lapEnd = 0;

  const sizeAt = (place: number) => words[place / 4] as number;
  const hashAt = (place: number) => words[place / 4 + 1] as number;
  function isKeyAt(place: number, key: string): boolean {
    if (bytes[place + 8] !== key.length) return false;
    const from = place + HEADER_BYTES;
    for (let index = 0; index < key.length; index++) if (bytes[from + index] !== key.charCodeAt(index)) return false;
    return true;
  }
  /** Where the record of each key begins. */
  const index = placeIndex({ hashAt, isKeyAt });

  /** Forgets records of the lap before, up to a place. */
  function giveWay(upTo: number): void {
    while (oldest < lapEnd && oldest < upTo) {
      index.remove(hashAt(oldest), oldest);
      oldest += sizeAt(oldest);
    }
  }

  /** Where the content of the record at a place begins, of a key of that length; -1: there is none. */
  const contentOf = (place: number, key: string) => (place === -1 ? -1 : contentAfter(place, key.length));

  return {
    bytes,
    numbers,
    placeOf: (key) => contentOf(index.find(hashOf(key), key), key),
    placesOf(keys) {
      const hashes = new Float64Array(keys.length);
      const places = new Float64Array(keys.length);
      let fetched = 0;
      for (let at = 0; at < keys.length; at++) {
        const hash = hashOf(keys[at] as string);
        hashes[at] = hash;
        fetched += index.touch(hash);
      }
      for (let at = 0; at < keys.length; at++) {
        const key = keys[at] as string;
        const place = contentOf(index.find(hashes[at] as number, key), key);
        places[at] = place;
        if (place === -1) continue;
        for (let line = 0; line < LINES; line++) fetched += bytes[place + line * LINE_BYTES] ?? 0;
      }
      // What nobody asks for need not be fetched.
      if (fetched < 0) throw new Error('bytes are no negative numbers');
      return places;
    },
    reserve(key, length) {
      const needed = inNumbers(HEADER_BYTES + key.length) + length;
      const hash = hashOf(key);
      const known = index.find(hash, key);
      if (known !== -1) {
        if (needed <= sizeAt(known)) return contentOf(known, key);
        index.remove(hash, known);
      }
      const size = inNumbers(needed);
      if (size > maxBytes || key.length > MAX_KEY_BYTES) return -1;
      if (next + size > maxBytes) {
        giveWay(lapEnd);
        [lapEnd, oldest, next] = [next, 0, 0];
      }
      giveWay(next + size);
      const place = next;
      words[place / 4] = size;
      words[place / 4 + 1] = hash;
      bytes[place + 8] = key.length;
      bytes.write(key, place + HEADER_BYTES, 'latin1');
      index.add(hash, place);
      next += size;
      return contentOf(place, key);
    },
    delete(key) {
      const hash = hashOf(key);
      const place = index.find(hash, key);
      if (place !== -1) index.remove(hash, place);
    },
    clear() {
      index.clear();
      next = oldest = lapEnd = 0;
    },
  };
}
