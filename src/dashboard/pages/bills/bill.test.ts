import { expect, test } from 'vitest';
import { formatBilledEnergy, formatEnergyChange, isZeroEnergy } from './bill.ts';

test('a bill shows energy to the watt-hour, and a change with its sign', () => {
  expect(formatBilledEnergy('14934.869250')).toBe('14,934.869 kWh');
  expect(['0.200000', '-0.200000', '0.000000', '-0.000001'].map(formatEnergyChange)).toEqual([
    '+0.200 kWh',
    '-0.200 kWh',
    '0.000 kWh',
    '0.000 kWh',
  ]);
  expect(['0.000000', '-0.000001'].map(isZeroEnergy)).toEqual([true, false]);
});
