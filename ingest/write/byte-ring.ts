import { hashFnv1a } from '#src/core/fnv1a.ts';

/** Records and their content start at multiples of this size in bytes. */
export const BYTES_PER_NUMBER = 8;
/** Length of a record's header in bytes: size of the record (4), hash of the key (4), length of the key (1). The key follows the header. */
const HEADER_BYTES = 9;
/** Maximum length of a key, in bytes; a device_id has at most 64 characters. */
const MAX_KEY_BYTES = 255;
/** Size of a processor's cache line in bytes, and number of cache lines that are prefetched per record. */
const [LINE_BYTES, LINES] = [64, 8];

const inNumbers = (bytes: number): number => Math.ceil(bytes / BYTES_PER_NUMBER) * BYTES_PER_NUMBER;
const contentAfter = (offset: number, keyLength: number) => offset + inNumbers(HEADER_BYTES + keyLength);

/**
 * A cache of records by key in one ring of at most `maxBytes`, outside of the JavaScript heap: a hundred thousand changing objects would
 * double the work of the process through garbage collection. New records evict the oldest ones. Keys are ASCII.
 */
export class ByteRing {
  readonly bytes: Buffer;
  /** View of `bytes` as 8-byte numbers. The content of a record at byte offset n starts at index n ÷ 8. */
  readonly numbers: Float64Array;
  readonly #words: Uint32Array;
  readonly #maxBytes: number;
  readonly #index: HashIndex;
  #next = 0;
  /** Offset of the oldest record, in bytes, which is overwritten next. */
  #oldest = 0;
  #lapEnd = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    // The operating system provides this memory only when the process first writes to it.
    this.bytes = Buffer.allocUnsafeSlow(inNumbers(maxBytes));
    this.numbers = new Float64Array(this.bytes.buffer, 0, this.bytes.length / BYTES_PER_NUMBER);
    this.#words = new Uint32Array(this.bytes.buffer, 0, this.bytes.length / 4);
    this.#index = new HashIndex({
      hashAt: (offset) => this.#hashAt(offset),
      isKeyAt: (offset, key) => this.#isKeyAt(offset, key),
    });
  }

  /** Returns the offset of a record's content, in bytes; -1 if the key has no record. */
  offsetOf(key: string): number {
    return contentOf(this.#index.find(hashKey(key), key), key);
  }

  /**
   * Returns the offsets of many records' contents, in bytes; -1 for a key without a record. Reading them together is faster, because the
   * waits for memory overlap.
   */
  offsetsOf(keys: readonly string[]): Float64Array {
    const [bytes, index] = [this.bytes, this.#index];
    const hashes = new Float64Array(keys.length);
    const offsets = new Float64Array(keys.length);
    let fetched = 0;
    for (let at = 0; at < keys.length; at++) {
      const hash = hashKey(keys[at] as string);
      hashes[at] = hash;
      fetched += index.touch(hash);
    }
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at] as string;
      const offset = contentOf(index.find(hashes[at] as number, key), key);
      offsets[at] = offset;
      if (offset === -1) continue;
      for (let line = 0; line < LINES; line++) fetched += bytes[offset + line * LINE_BYTES] ?? 0;
    }
    // This check uses the prefetched bytes; otherwise the JavaScript engine would optimise the prefetch away.
    if (fetched < 0) throw new Error('bytes are no negative numbers');
    return offsets;
  }

  /**
   * Reserves `length` bytes for the content of a record. Returns the offset of the first of these bytes, or -1 if the content is too long.
   * The caller must write all of these bytes.
   */
  reserve(key: string, length: number): number {
    const needed = inNumbers(HEADER_BYTES + key.length) + length;
    const hash = hashKey(key);
    const known = this.#index.find(hash, key);
    if (known !== -1) {
      if (needed <= this.#sizeAt(known)) return contentOf(known, key);
      this.#index.remove(hash, known);
    }
    const size = inNumbers(needed);
    if (size > this.#maxBytes || key.length > MAX_KEY_BYTES) return -1;
    if (this.#next + size > this.#maxBytes) {
      this.#evictUpTo(this.#lapEnd);
      this.#lapEnd = this.#next;
      this.#oldest = this.#next = 0;
    }
    this.#evictUpTo(this.#next + size);
    const offset = this.#next;
    this.#words[offset / 4] = size;
    this.#words[offset / 4 + 1] = hash;
    this.bytes[offset + 8] = key.length;
    this.bytes.write(key, offset + HEADER_BYTES, 'latin1');
    this.#index.add(hash, offset);
    this.#next += size;
    return contentOf(offset, key);
  }

  delete(key: string): void {
    const hash = hashKey(key);
    const offset = this.#index.find(hash, key);
    if (offset !== -1) this.#index.remove(hash, offset);
  }

  clear(): void {
    this.#index.clear();
    this.#next = this.#oldest = this.#lapEnd = 0;
  }

  #sizeAt(offset: number): number {
    return this.#words[offset / 4] as number;
  }

  #hashAt(offset: number): number {
    return this.#words[offset / 4 + 1] as number;
  }

  #isKeyAt(offset: number, key: string): boolean {
    const { bytes } = this;
    if (bytes[offset + 8] !== key.length) return false;
    const from = offset + HEADER_BYTES;
    for (let index = 0; index < key.length; index++) if (bytes[from + index] !== key.charCodeAt(index)) return false;
    return true;
  }

  /** Evicts the oldest records up to an offset in the ring. */
  #evictUpTo(upTo: number): void {
    while (this.#oldest < this.#lapEnd && this.#oldest < upTo) {
      this.#index.remove(this.#hashAt(this.#oldest), this.#oldest);
      this.#oldest += this.#sizeAt(this.#oldest);
    }
  }
}

const contentOf = (offset: number, key: string) => (offset === -1 ? -1 : contentAfter(offset, key.length));

interface Keyed {
  hashAt(offset: number): number;
  isKeyAt(offset: number, key: string): boolean;
}

const FIRST_SLOTS = 2 ** 10;
/** Bytes per unit of an offset: an offset of n in a slot means byte n × UNIT of the ring. */
const UNIT = 8;
/** Random start value of the hashes, so that clients cannot provoke collisions by their choice of keys. */
const SEED = Math.floor(Math.random() * 2 ** 32);

/** Returns an unsigned 32-bit hash of a key (FNV-1a with the final step of MurmurHash3). */
export function hashKey(key: string): number {
  let hash = hashFnv1a(key, SEED);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * A hash table from keys to offsets of records (open addressing, linear probing). A Map with a million strings would take eleven times the
 * memory and five memory accesses per lookup.
 */
export class HashIndex {
  readonly #keyed: Keyed;
  /** A slot contains 0 if it is free, otherwise the record's offset in units of 8 bytes, plus one. At most half of the slots are in use. */
  #slots = new Uint32Array(FIRST_SLOTS);
  #taken = 0;

  constructor(keyed: Keyed) {
    this.#keyed = keyed;
  }

  find(hash: number, key: string): number {
    const slots = this.#slots;
    for (let slot = firstOf(slots, hash); slots[slot] !== 0; slot = after(slots, slot)) {
      const offset = offsetIn(slots, slot);
      if (this.#keyed.hashAt(offset) === hash && this.#keyed.isKeyAt(offset, key)) return offset;
    }
    return -1;
  }

  add(hash: number, offset: number): void {
    if (2 * ++this.#taken > this.#slots.length) this.#grow();
    put(this.#slots, hash, offset);
  }

  remove(hash: number, offset: number): boolean {
    const slots = this.#slots;
    for (let slot = firstOf(slots, hash); slots[slot] !== 0; slot = after(slots, slot)) {
      if (offsetIn(slots, slot) !== offset) continue;
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

  /**
   * Prefetches the slot of a hash. The caller must use the returned value; otherwise the JavaScript engine would optimise the prefetch
   * away.
   */
  touch(hash: number): number {
    return this.#slots[firstOf(this.#slots, hash)] as number;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(2 * before.length);
    for (const one of before) {
      const offset = (one - 1) * UNIT;
      if (one !== 0) put(this.#slots, this.#keyed.hashAt(offset), offset);
    }
  }

  /** Frees a slot. Then moves later entries forward, because a search ends at the first free slot. */
  #free(slot: number): void {
    const slots = this.#slots;
    let gap = slot;
    for (let next = after(slots, gap); slots[next] !== 0; next = after(slots, next)) {
      const wanted = firstOf(slots, this.#keyed.hashAt(offsetIn(slots, next)));
      const isBehindGap = gap <= next ? gap < wanted && wanted <= next : gap < wanted || wanted <= next;
      if (isBehindGap) continue;
      slots[gap] = slots[next] as number;
      gap = next;
    }
    slots[gap] = 0;
  }
}

const offsetIn = (slots: Uint32Array, slot: number) => ((slots[slot] as number) - 1) * UNIT;
const after = (slots: Uint32Array, slot: number) => (slot + 1) & (slots.length - 1);
const firstOf = (slots: Uint32Array, hash: number) => hash & (slots.length - 1);

function put(slots: Uint32Array, hash: number, offset: number): void {
  let slot = firstOf(slots, hash);
  while (slots[slot] !== 0) slot = after(slots, slot);
  slots[slot] = offset / UNIT + 1;
}
