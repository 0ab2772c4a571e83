import { fnv1a } from '#src/core/fnv1a.ts';

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

/**
 * Records of numbers and bytes by a key, of at most `maxBytes` together, outside of the JavaScript heap: a hundred thousand objects
 * that change every few seconds would cost the garbage collector as much as all the rest of ingest. A record is written at the
 * place that its key has, or behind the latest one, where those that have been there for longest give way. Keys are ASCII.
 */
export class ByteRing {
  readonly bytes: Buffer;
  /** The same memory. A record's content begins on a bound of it: at a place ÷ 8. */
  readonly numbers: Float64Array;
  readonly #words: Uint32Array;
  readonly #maxBytes: number;
  /** Where the record of each key begins. */
  readonly #index: PlaceIndex;
  /** Where the next record goes. */
  #next = 0;
  /** Records of the lap before, which the next one writes over, begin here, and end there. */
  #oldest = 0;
  #lapEnd = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    // The system gives memory to what is written only.
    this.bytes = Buffer.allocUnsafeSlow(inNumbers(maxBytes));
    this.numbers = new Float64Array(this.bytes.buffer, 0, this.bytes.length / NUMBER_BYTES);
    this.#words = new Uint32Array(this.bytes.buffer, 0, this.bytes.length / 4);
    this.#index = new PlaceIndex({
      hashAt: (place) => this.#hashAt(place),
      isKeyAt: (place, key) => this.#isKeyAt(place, key),
    });
  }

  /** Where the content of a key's record begins, in bytes; -1: it has none. */
  placeOf(key: string): number {
    return contentOf(this.#index.find(hashOf(key), key), key);
  }

  /** The same of many keys. Of a million records each is far away in memory: they are fetched side by side, not one after the other. */
  placesOf(keys: readonly string[]): Float64Array {
    const [bytes, index] = [this.bytes, this.#index];
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
  }

  /** Where the content of a key's record may be written, again and whole; -1: it is too long. `length`: in bytes. */
  reserve(key: string, length: number): number {
    const needed = inNumbers(HEADER_BYTES + key.length) + length;
    const hash = hashOf(key);
    const known = this.#index.find(hash, key);
    if (known !== -1) {
      if (needed <= this.#sizeAt(known)) return contentOf(known, key);
      this.#index.remove(hash, known);
    }
    const size = inNumbers(needed);
    if (size > this.#maxBytes || key.length > MAX_KEY_BYTES) return -1;
    if (this.#next + size > this.#maxBytes) {
      this.#giveWay(this.#lapEnd);
      this.#lapEnd = this.#next;
      this.#oldest = this.#next = 0;
    }
    this.#giveWay(this.#next + size);
    const place = this.#next;
    this.#words[place / 4] = size;
    this.#words[place / 4 + 1] = hash;
    this.bytes[place + 8] = key.length;
    this.bytes.write(key, place + HEADER_BYTES, 'latin1');
    this.#index.add(hash, place);
    this.#next += size;
    return contentOf(place, key);
  }

  delete(key: string): void {
    const hash = hashOf(key);
    const place = this.#index.find(hash, key);
    if (place !== -1) this.#index.remove(hash, place);
  }

  clear(): void {
    this.#index.clear();
    this.#next = this.#oldest = this.#lapEnd = 0;
  }

  #sizeAt(place: number): number {
    return this.#words[place / 4] as number;
  }

  #hashAt(place: number): number {
    return this.#words[place / 4 + 1] as number;
  }

  #isKeyAt(place: number, key: string): boolean {
    const { bytes } = this;
    if (bytes[place + 8] !== key.length) return false;
    const from = place + HEADER_BYTES;
    for (let index = 0; index < key.length; index++) if (bytes[from + index] !== key.charCodeAt(index)) return false;
    return true;
  }

  /** Evicts records of the lap before, up to a place. */
  #giveWay(upTo: number): void {
    while (this.#oldest < this.#lapEnd && this.#oldest < upTo) {
      this.#index.remove(this.#hashAt(this.#oldest), this.#oldest);
      this.#oldest += this.#sizeAt(this.#oldest);
    }
  }
}

/** Where the content of the record at a place begins, of a key of that length; -1: there is none. */
const contentOf = (place: number, key: string) => (place === -1 ? -1 : contentAfter(place, key.length));

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

/**
 * Places by the hashes of their keys: open addressing with linear probing over whole numbers. A Map of a million texts takes 90 bytes of the
 * JavaScript heap for each, and five waits for memory a look, which is more than the law costs; here it is one, and 8 bytes.
 */
export class PlaceIndex {
  readonly #keyed: Keyed;
  /** One more than the place, in units; 0: free. At most half of them are taken. */
  #slots = new Uint32Array(FIRST_SLOTS);
  #taken = 0;

  constructor(keyed: Keyed) {
    this.#keyed = keyed;
  }

  /** The place of a key; -1: it has none. */
  find(hash: number, key: string): number {
    const slots = this.#slots;
    for (let slot = firstOf(slots, hash); slots[slot] !== 0; slot = after(slots, slot)) {
      const place = placeIn(slots, slot);
      if (this.#keyed.hashAt(place) === hash && this.#keyed.isKeyAt(place, key)) return place;
    }
    return -1;
  }

  /** Notes a place of a key that has none. */
  add(hash: number, place: number): void {
    if (2 * ++this.#taken > this.#slots.length) this.#grow();
    put(this.#slots, hash, place);
  }

  /** Removes a place; false: it was not there. */
  remove(hash: number, place: number): boolean {
    const slots = this.#slots;
    for (let slot = firstOf(slots, hash); slots[slot] !== 0; slot = after(slots, slot)) {
      if (placeIn(slots, slot) !== place) continue;
      this.#free(slot);
      this.#taken--;
      return true;
    }
    return false;
  }

  clear(): void {
    this.#slots = new Uint32Array(FIRST_SLOTS);
    this.#taken = 0;
  }

  /** Begins to fetch what `find` will look at; returns any number, so that it is done. */
  touch(hash: number): number {
    return this.#slots[firstOf(this.#slots, hash)] as number;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(2 * before.length);
    for (const one of before) {
      const place = (one - 1) * UNIT;
      if (one !== 0) put(this.#slots, this.#keyed.hashAt(place), place);
    }
  }

  /** Frees a slot, and moves up what stands behind it and was to stand before: so a free slot ends each search. */
  #free(slot: number): void {
    const slots = this.#slots;
    let gap = slot;
    for (let next = after(slots, gap); slots[next] !== 0; next = after(slots, next)) {
      const wanted = firstOf(slots, this.#keyed.hashAt(placeIn(slots, next)));
      const isBehindGap = gap <= next ? gap < wanted && wanted <= next : gap < wanted || wanted <= next;
      if (isBehindGap) continue;
      slots[gap] = slots[next] as number;
      gap = next;
    }
    slots[gap] = 0;
  }
}

const placeIn = (slots: Uint32Array, slot: number) => ((slots[slot] as number) - 1) * UNIT;
const after = (slots: Uint32Array, slot: number) => (slot + 1) & (slots.length - 1);
const firstOf = (slots: Uint32Array, hash: number) => hash & (slots.length - 1);

function put(slots: Uint32Array, hash: number, place: number): void {
  let slot = firstOf(slots, hash);
  while (slots[slot] !== 0) slot = after(slots, slot);
  slots[slot] = place / UNIT + 1;
}
