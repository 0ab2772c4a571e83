import { expect, test } from 'vitest';
import { negative, roundedText, sumOf } from './fraction.ts';

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
])('halves go away from zero, and nothing has no sign (%#)', (fraction, decimals, text) => {
  expect(roundedText(fraction, decimals)).toBe(text);
});

test('a sum is exact, whatever is added', () => {
  const thirds = sumOf(of(1n, 3n), of(1n, 92n), of(1n, 3n), of(-1n, 92n), of(1n, 3n));
  expect(thirds.numerator).toBe(thirds.denominator);
  expect(roundedText(sumOf(thirds, negative(of(1n, 1n))), 2)).toBe('0.00');
});
