import assert from 'node:assert/strict';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addFractions,
  castToBillionths,
  formatDecimal,
  formatRounded,
  negateFraction,
  parseDecimal,
} from './decimal.ts';

test.each([
  ['0.2815', 281_500_000n],
  ['-3', -3_000_000_000n],
  ['1e-7', 100n],
  ['1.5E2', 150_000_000_000n],
  ['0.000000001', 1n],
  ['0.1000000000', 100_000_000n],
  ['-0', 0n],
  ['007', 7_000_000_000n],
  ['0e99', 0n],
])('parses %s exactly as it is written', (text, billionths) => {
  expect(parseDecimal(text)).toBe(billionths);
});

test.each([
  '',
  '.5',
  '5.',
  '1,5',
  '0.1234567891',
  '1e-10',
  '1e12',
  '1e999',
  '+1',
  '0x10',
  'NaN',
  'Infinity',
  ' 1',
  '1 ',
])('rejects the price %j', (text) => {
  expect(parseDecimal(text)).toBeNull();
});

test('parsing a formatted decimal gives the same decimal', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), (value) => {
      assert.equal(parseDecimal(formatDecimal(castToBillionths(value))), value);
    }),
  );
});

const of = (numerator: bigint, denominator: bigint) => ({ numerator, denominator });

test.each([
  [of(1n, 8n), 2, '0.13'],
  [of(-1n, 8n), 2, '-0.13'],
  [of(124_999n, 1_000_000n), 2, '0.12'],
  [of(5n, 10n), 0, '1'],
  [of(-5n, 10n), 0, '-1'],
  [of(-4n, 1_000n), 2, '0.00'],
  [of(0n, 3n), 2, '0.00'],
  [of(12_345n, 100n), 3, '123.450'],
  [of(2n, 3n), 4, '0.6667'],
])('rounds halves away from zero, and formats zero without a sign (%#)', (fraction, decimals, text) => {
  expect(formatRounded(fraction, decimals)).toBe(text);
});

test('computes exact sums of any decimals', () => {
  const thirds = addFractions(of(1n, 3n), of(1n, 92n), of(1n, 3n), of(-1n, 92n), of(1n, 3n));
  expect(thirds.numerator).toBe(thirds.denominator);
  expect(formatRounded(addFractions(thirds, negateFraction(of(1n, 1n))), 2)).toBe('0.00');
});
