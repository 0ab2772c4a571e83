import { hashFnv1a } from '#src/core/fnv1a.ts';

/** A source of repeatable pseudo-random numbers. */
export interface SeededRandom {
  /** Number in [0, 1). */
  next(): number;
  /** Number in [low, high). */
  between(low: number, high: number): number;
  /** Integer in [low, high]. */
  whole(low: number, high: number): number;
  /** Returns true with this probability. */
  chance(probability: number): boolean;
}

/**
 * Creates a generator whose numbers depend only on `parts`: `createSeededRandom('home 3', day, 'washing')` always returns the same
 * sequence.
 */
export function createSeededRandom(...parts: (string | number)[]): SeededRandom {
  let state = hashFnv1a(parts.join('\u0000'));
  // The algorithm is mulberry32. Its 32 bits of state suffice for the habits of households, and its code has only five lines.
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    between: (low, high) => low + next() * (high - low),
    whole: (low, high) => low + Math.floor(next() * (high - low + 1)),
    chance: (probability) => next() < probability,
  };
}
