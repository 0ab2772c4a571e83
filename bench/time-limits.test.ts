import { expect, test } from 'vitest';
import { computeSlownessFactor, describeTimeout, measureMachineSlowness, scaleTimeLimitMs } from './time-limits.ts';

test('scales limits with the slowness of the machine, between 1 and 8 times', () => {
  expect([1, 120, 240, 100_000].map(computeSlownessFactor)).toEqual([1, 1, 2, 8]);
  expect(measureMachineSlowness()).toBeGreaterThanOrEqual(1);
  expect(scaleTimeLimitMs(1_000)).toBe(Math.round(1_000 * measureMachineSlowness()));
});

test('names the wait that a benchmark gave up on, and its duration', () => {
  expect(describeTimeout('no answer', 60_000)).toMatch(
    /^gave up after \d+ s: no answer \(limits here are [\d.]+ × the usual ones\)$/,
  );
});
