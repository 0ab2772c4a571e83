import { expect, test } from 'vitest';
import { computeBoughtSharesOfUsage } from './steady-load.ts';

test.each<[string, number[], number[], number[]]>([
  ['all of it bought', [5, 7], [5, 7], [1, 1]],
  ['sun and night', [0, 300], [300, 300], [0, 1]],
  ['a part of it', [100], [400], [0.25]],
  ['more than was used: it went into the battery', [900], [300], [1]],
  ['not known, or nothing used: the mean of the others', [0, 9, 0, 300], [Number.NaN, 0, 300, 300], [0.5, 0.5, 0, 1]],
  ['nothing known', [0], [Number.NaN], [1]],
  ['nothing', [], [], []],
])('share of the usage that is bought: %s', (_, imported, used, shares) => {
  expect([...computeBoughtSharesOfUsage(Float64Array.from(imported), Float64Array.from(used))]).toEqual(shares);
});

test('a day without data has the mean shares of the same time on other days', () => {
  const day = (of: (slot: number) => number) => Array.from({ length: 96 }, (_, slot) => of(slot));
  const sun = day((slot) => (slot >= 40 && slot < 64 ? 0 : 300));
  const imported = Float64Array.from([...day(() => 0), ...sun]);
  const used = Float64Array.from([...day(() => Number.NaN), ...day(() => 300)]);
  const shares = computeBoughtSharesOfUsage(imported, used);
  expect([...shares.subarray(0, 96)]).toEqual([...shares.subarray(96)]);
});
