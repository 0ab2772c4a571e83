import { expect, test } from 'vitest';
import { scaleDecimal } from '#src/core/units.ts';
import { findVolumeScale, getVolumeChannel, US_GALLON_SCALE } from './volume.ts';

const cubicMetres = (value: number, unit: string) => {
  const scale = findVolumeScale(unit);
  return scale && scaleDecimal(value, scale.times, scale.per);
};

test.each([
  [10142.194, 'm3', 10142.194],
  [0.001, 'm³', 0.001],
  [10142194.0, 'L', 10142.194],
  [4321, 'litres', 4.321],
  [5, 'dm³', 0.005],
  // The expected value follows from the exact definition of the foot. A product of floating-point numbers would differ in the last digits.
  [123456, 'ft³', 3495.884612861952],
  [1, 'CCF', 2.8316846592],
  [1.5, 'MCF', 42.475269888],
])('converts %d %s to %d m³, exact to the last digit', (value, unit, expected) => {
  expect(cubicMetres(value, unit)).toBe(expected);
});

test('scales the decimal text that was sent, not the floating-point number nearest to it', () => {
  expect(cubicMetres(1.005, 'L')).toBe(0.001005);
  expect(cubicMetres(0.1, 'ft3')).toBe(0.0028316846592);
  expect(scaleDecimal(100, US_GALLON_SCALE.times, US_GALLON_SCALE.per)).toBe(0.3785411784);
});

test.each(['m3/h', 'm³/h', 'l/min', 'L/h', 'gal', 'gallons', 'kWh', 'm', 'm2', '', 'M', 'ml', 'constructor'])(
  'rejects %s, which is not a volume or has an ambiguous unit',
  (unit) => {
    expect(findVolumeScale(unit)).toBeUndefined();
  },
);

test('puts the circuit before the commodity in a channel name', () => {
  expect(getVolumeChannel('gas')).toBe('gas/m3');
  expect(getVolumeChannel('water', 'mbus2')).toBe('mbus2/water/m3');
});
