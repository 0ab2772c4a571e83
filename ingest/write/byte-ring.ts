import { fnv1a } from '#src/core/fnv1a.ts';

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

/**
 * Places by the hashes of their keys: open addressing with linear probing over whole numbers. A Map of a million texts takes 90 bytes of the
 * JavaScript heap for each, and five waits for memory a look, which is more than the law costs; here it is one, and 8 bytes.
 */
export interface PlaceIndex {
  /** The place of a key; -1: it has none. */
  find(hash: number, key: string): number;
  /** Notes a place of a key that has none. */
  add(hash: number, place: number): void;
  /** Forgets a place; false: it was not there. */
  remove(hash: number, place: number): boolean;
  clear(): void;
  /** Begins to fetch what `find` will look at; answers anything, so that it is done. */
  touch(hash: number): number;
}

/** What stands at the places. */
interface Keyed {
  hashAt(place: number): number;
  isKeyAt(place: number, key: string): boolean;
}

const FIRST_SLOTS = 2 ** 10;
/** Places are multiples of this. */
const UNIT = 8;
/** Nobody who chooses keys knows where they come. */
const SEED = Math.floor(Math.random() * 2 ** 32);

/** Hash of a key, a whole number of 32 bits (FNV-1a, its bits mixed as the last step of MurmurHash3 does). */
export function hashOf(key: string): number {
  let hash = fnv1a(key, SEED);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

export function placeIndex({ hashAt, isKeyAt }: Keyed): PlaceIndex {
  /** One more than the place, in units; 0: free. At most half of them are taken. */
  let slots = new Uint32Array(FIRST_SLOTS);
  let taken = 0;

  const placeIn = (slot: number) => ((slots[slot] as number) - 1) * UNIT;
  const after = (slot: number) => (slot + 1) & (slots.length - 1);
  const firstOf = (hash: number) => hash & (slots.length - 1);

  function put(hash: number, place: number): void {
    let slot = firstOf(hash);
    while (slots[slot] !== 0) slot = after(slot);
    slots[slot] = place / UNIT + 1;
  }

  function grow(): void {
    const before = slots;
    slots = new Uint32Array(2 * before.length);
    for (const one of before) if (one !== 0) put(hashAt((one - 1) * UNIT), (one - 1) * UNIT);
  }

  /** Frees a slot, and moves up what stands behind it and was to stand before: so a free slot ends each search. */
  function free(slot: number): void {
    let gap = slot;
    for (let next = after(gap); slots[next] !== 0; next = after(next)) {
      const wanted = firstOf(hashAt(placeIn(next)));
      const isBehindGap = gap <= next ? gap < wanted && wanted <= next : gap < wanted || wanted <= next;
      if (isBehindGap) continue;
      slots[gap] = slots[next] as number;
      gap = next;
    }
    slots[gap] = 0;
  }

  return {
    find(hash, key) {
      for (let slot = firstOf(hash); slots[slot] !== 0; slot = after(slot)) {
        const place = placeIn(slot);
        if (hashAt(place) === hash && isKeyAt(place, key)) return place;
      }
      return -1;
    },
    add(hash, place) {
      if (2 * ++taken > slots.length) grow();
      put(hash, place);
    },
    remove(hash, place) {
      for (let slot = firstOf(hash); slots[slot] !== 0; slot = after(slot)) {
        if (placeIn(slot) !== place) continue;
        free(slot);
        taken--;
        return true;
      }
      return false;
    },
    clear() {
      slots = new Uint32Array(FIRST_SLOTS);
      taken = 0;
    },
    touch: (hash) => slots[firstOf(hash)] as number,
  };
}
