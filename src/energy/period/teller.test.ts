import { expect, test } from 'vitest';
import { measured } from './teller.ts';

const list = (...values: number[]) => Float64Array.from(values);

test('a quarter-hour is measured where most of what was used is not estimated; the last one where most of it is over', () => {
  const quarters = {
    used: list(100, 100, Number.NaN, 20, 70),
    estimated: list(50, 51, 0, 0, 0),
    // An inverter sleeps, and takes nothing from what the meter tells.
    coverage: list(1, 1, 0, 0.5, 0.5),
  };
  expect([...measured(quarters)]).toEqual([100, Number.NaN, Number.NaN, 20, Number.NaN]);
  expect([...measured({ ...quarters, coverage: list(1, 1, 0, 0.5, 0.95) })].at(-1)).toBe(70);
});
