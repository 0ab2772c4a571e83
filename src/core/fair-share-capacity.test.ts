import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairShareCapacity } from './fair-share-capacity.ts';

test('an account always finds room, however much other accounts take', () => {
  const step = fc.record({ account: fc.constantFrom('a', 'b', 'c'), amount: fc.integer({ min: 1, max: 40 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const shares = new FairShareCapacity(1_000);
      for (const { account, amount } of steps) if (shares.hasRoom(account, amount)) shares.take(account, amount);
      expect(shares.taken).toBeLessThan(shares.total);
      expect(shares.hasRoom('newcomer')).toBe(true);
    }),
  );
});

test('a single account can take three quarters, and room that it returns is available again', () => {
  const shares = new FairShareCapacity(100);
  let taken = 0;
  for (; shares.hasRoom('a'); taken++) shares.take('a');
  expect([taken, shares.isOver('a'), shares.isOver('a', 0.5)]).toEqual([75, false, true]);
  shares.take('a', 10);
  expect(shares.isOver('a')).toBe(true);
  shares.give('a', 85);
  expect([shares.taken, shares.takenBy('a'), shares.isOver('a', 0.5)]).toEqual([0, 0, false]);
});
