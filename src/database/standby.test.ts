import { describe, expect, test } from 'vitest';
import {
  appendStandbySample,
  computeDataAgeMs,
  filterNeededStandbySamples,
  isTransactionReplayed,
  type StandbySample,
} from './standby.ts';

describe('the lag of a standby', () => {
  const samples = [
    { atMs: 1_000, position: 100 },
    { atMs: 2_000, position: 200 },
    { atMs: 3_000, position: 300 },
  ];
  test.each([
    ['follows', 300, 200],
    ['is ahead of the last question', 350, 200],
    ['stands still while the primary writes', 250, 1_200],
    ['is as far as the first that is known', 100, 2_200],
  ])('is computed if %s', (_, replayed, ageMs) => {
    expect(computeDataAgeMs(samples, replayed, 3_200)).toBe(ageMs);
  });

  test('is unknown before the first sample', () => {
    expect(computeDataAgeMs(samples, 99, 3_200)).toBeNull();
    expect(computeDataAgeMs([], 99, 3_200)).toBeNull();
  });

  test('does not grow while the primary writes nothing, and grows once the primary writes again', () => {
    const idle = [1, 2, 3, 4].map((second) => ({ atMs: second * 1_000, position: 500 }));
    expect(computeDataAgeMs(idle, 500, 4_100)).toBe(100);
    expect(computeDataAgeMs([...idle, { atMs: 5_000, position: 501 }], 500, 9_000)).toBe(5_000);
  });

  test('is measured from the first transaction that was not replayed', () => {
    expect(filterNeededStandbySamples(samples, 250)).toEqual(samples.slice(1));
    expect(filterNeededStandbySamples(samples, 99)).toEqual(samples);
    expect(filterNeededStandbySamples(samples, 400)).toEqual(samples.slice(2));
    let many: readonly StandbySample[] = [];
    for (let at = 0; at < 5_000; at++) many = appendStandbySample(many, { atMs: at, position: at });
    expect(many.length).toBeLessThan(1_000);
    expect(many.at(-1)).toEqual({ atMs: 4_999, position: 4_999 });
  });
});

test.each([
  [7, 8, true],
  [8, 8, false],
  [9, 8, false],
  // The 32-bit transaction id has overflowed once.
  [4_294_967_290, 4_294_967_296 + 5, true],
  [5, 4_294_967_290, false],
  [5, 4_294_967_296 + 6, true],
  [5, 3 * 4_294_967_296 + 5, false],
])('whether transaction %i precedes %i: %s', (number, horizon, expected) => {
  expect(isTransactionReplayed(number, horizon)).toBe(expected);
});
