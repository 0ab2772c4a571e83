import { expect, test } from 'vitest';
import { givenUp, patience, slowness, slownessOf } from './patience.ts';

test('limits grow with how slow the machine is, within bounds, and never shrink', () => {
  expect([1, 120, 240, 100_000].map(slownessOf)).toEqual([1, 1, 2, 8]);
  expect(slowness()).toBeGreaterThanOrEqual(1);
  expect(patience(1_000)).toBe(Math.round(1_000 * slowness()));
});

test('what a bench gave up on is named, with how long it waited', () => {
  expect(givenUp('no answer', 60_000)).toMatch(
    /^gave up after \d+ s: no answer \(limits here are [\d.]+ × the usual ones\)$/,
  );
});
