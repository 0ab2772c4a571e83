import { expect, test } from 'vitest';
import { maskUnmeasuredUsage } from './data-source.ts';

const list = (...values: number[]) => Float64Array.from(values);

test('a quarter-hour counts as measured if at most half of its usage is estimated; the last one must also be mostly covered', () => {
  const quarters = {
    used: list(100, 100, Number.NaN, 20, 70),
    estimated: list(50, 51, 0, 0, 0),
    // In the last three quarter-hours, the inverter is off, but the data of the meter are complete.
    coverage: list(1, 1, 0, 0.5, 0.5),
  };
  expect([...maskUnmeasuredUsage(quarters)]).toEqual([100, Number.NaN, Number.NaN, 20, Number.NaN]);
  expect([...maskUnmeasuredUsage({ ...quarters, coverage: list(1, 1, 0, 0.5, 0.95) })].at(-1)).toBe(70);
});
