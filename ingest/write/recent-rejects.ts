/** So many of a device's last messages and elements are remembered, a bit each. */
const REMEMBERED = 20;
const MASK = 2 ** REMEMBERED - 1;

/**
 * Shifts what a batch had of a device into the bits of its last readings: 1 was rejected. In which order they came within
 * the batch is not known: the rejected ones are spread evenly among the others. Pure.
 */
export function withOutcomes(bits: number, valid: number, rejected: number): number {
  const all = valid + rejected;
  let next = bits;
  for (let index = Math.max(0, all - REMEMBERED); index < all; index++) {
    const isRejected = Math.floor(((index + 1) * rejected) / all) > Math.floor((index * rejected) / all);
    next = ((next << 1) | (isRejected ? 1 : 0)) & MASK;
  }
  return next;
}

/** Whether most of the last readings were rejected: the device counts as faulty. Pure. */
export function isMostlyRejected(bits: number): boolean {
  let ones = 0;
  for (let rest = bits; rest > 0; rest &= rest - 1) ones++;
  return ones > REMEMBERED / 2;
}
