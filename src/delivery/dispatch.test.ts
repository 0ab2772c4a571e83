import { expect, test } from 'vitest';
import { computeNextAttemptAt } from './dispatch.ts';

const NOW = new Date('2026-11-22T00:00:00Z');
const waitS = (failedTries: number, random: number) => {
  const at = computeNextAttemptAt(failedTries, NOW, random);
  return at === null ? null : (at.getTime() - NOW.getTime()) / 1_000;
};

test('a failed delivery is tried again five times, after 5 s, 30 s, 2 min, 15 min and an hour', () => {
  expect([1, 2, 3, 4, 5, 6, 7].map((failed) => waitS(failed, 0.5))).toEqual([5, 30, 120, 900, 3_600, null, null]);
});

test('each wait is up to a fifth shorter or longer', () => {
  expect([0, 0.25, 1].map((random) => waitS(2, random))).toEqual([24, 27, 36]);
});
