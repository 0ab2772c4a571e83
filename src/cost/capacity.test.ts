import { expect, test } from 'vitest';
import { castToBillionths, formatRounded } from '#src/core/decimal.ts';
import { canQuarterHourBePeak, computeCapacityCost } from './capacity.ts';

const flemish = {
  perKwMonth: castToBillionths(4_000_000_000n),
  monthsAveraged: 12,
  minimumKw: castToBillionths(2_500_000_000n),
};
const cost = (peaks: readonly number[]) => {
  const found = computeCapacityCost(flemish, peaks);
  return found && formatRounded(found, 6);
};

test('the capacity charge is the price times the mean of the peaks in kW, each at least the minimum', () => {
  // 1 kWh in a quarter-hour is a mean power of 4 kW.
  expect(cost([1_000_000])).toBe('16.000000');
  // Two peaks: 4 kW, and 0.4 kW, for which the minimum of 2.5 kW is charged.
  expect(cost([1_000_000, 100_000])).toBe('13.000000');
  expect(cost([0, 0, 1])).toBe('10.000000');
  expect(cost([])).toBeNull();
});

test.each([
  [{ imported: 100, estimated: 50, coveredMs: 1 }, true],
  [{ imported: 100, estimated: 51, coveredMs: 1 }, false],
  [{ imported: 0, estimated: 0, coveredMs: 900_000 }, true],
  [{ imported: 0, estimated: 0, coveredMs: 0 }, false],
])('whether a quarter-hour %j counts as measured: %s', (quarter, is) => {
  expect(canQuarterHourBePeak(quarter)).toBe(is);
});
