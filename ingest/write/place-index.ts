import { fnv1a } from '#src/core/fnv1a.ts';

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
