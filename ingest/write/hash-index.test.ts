import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HashIndex, hashKey } from './byte-ring.ts';

/** Hashes of the keys. Some are equal. Some are at the end of the table, where probing continues at the start of the table. */
const HASHES = [0, 0, 1, 2, 2, 1_021, 1_022, 1_022, 1_023, 1_023, 2 ** 32 - 1, 2 ** 31];
const keyOf = (number: number) => `key ${number}`;
const offsetOf = (number: number) => 8 * number;
const hashAt = (offset: number) => HASHES[(offset / 8) % HASHES.length] as number;

const operation = fc.record({ number: fc.nat(59), isRemoved: fc.boolean() });

test('finds every key that was added and not removed, despite colliding hashes', () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 200, size: 'max' }), (operations) => {
      const index = new HashIndex({ hashAt, isKeyAt: (offset, key) => keyOf(offset / 8) === key });
      const there = new Set<number>();
      for (const { number, isRemoved } of operations) {
        const [hash, offset] = [hashAt(offsetOf(number)), offsetOf(number)];
        if (isRemoved) expect(index.remove(hash, offset)).toBe(there.delete(number));
        else if (!there.has(number)) {
          index.add(hash, offset);
          there.add(number);
        }
        for (let one = 0; one < 60; one++)
          if (index.find(hashAt(offsetOf(one)), keyOf(one)) !== (there.has(one) ? offsetOf(one) : -1))
            expect.fail(`${one} of ${[...there]}`);
      }
    }),
    { numRuns: 200 },
  );
});

test('grows with its entries, and is empty after it is cleared', () => {
  const keys = Array.from({ length: 5_000 }, (_, number) => `dev_${number}`);
  const hashes = keys.map(hashKey);
  const index = new HashIndex({
    hashAt: (offset) => hashes[offset / 8] as number,
    isKeyAt: (offset, key) => keys[offset / 8] === key,
  });
  for (const [number, hash] of hashes.entries()) index.add(hash, 8 * number);
  expect(keys.map((key, number) => index.find(hashes[number] as number, key))).toEqual(
    keys.map((_, number) => 8 * number),
  );
  index.clear();
  expect(keys.some((key, number) => index.find(hashes[number] as number, key) !== -1)).toBe(false);
});

test('spreads the hashes of a fleet’s keys: few of 100,000 ids collide', () => {
  const hashes = new Set<number>();
  for (let number = 0; number < 100_000; number++) hashes.add(hashKey(`dev_grown${String(number).padStart(7, '0')}`));
  // 100,000 random hashes of 32 bits contain 1.2 colliding pairs on average.
  expect(hashes.size).toBeGreaterThan(99_980);
});
