import { expect, test } from 'vitest';
import { measureProcessorMs } from '#test/support/processor-time.ts';
import { parseExactJson } from './exact-json.ts';

test('a number that a double would change becomes text, whatever its zeros', () => {
  const read = (number: string) => parseExactJson(number);
  for (const exact of ['0', '-0.0', '1500', '0.000001', '1.500000000000000000000', '100000000000000000000', '1e3'])
    expect(read(exact)).toBe(Number(exact));
  for (const inexact of [
    '0.1234567890123456',
    '1000000000000000000001',
    '0.10000000000000000000001',
    '1e999',
    '1e-999',
  ])
    expect(read(inexact)).toBe(inexact);
});

test('a number of 200,000 digits is read without delay', () => {
  const zeros = '0'.repeat(200_000);
  const ms = measureProcessorMs(() => {
    for (const number of [`1${zeros}1`, `0.${zeros}1`, `1${'01'.repeat(100_000)}`])
      expect(parseExactJson(`{"threshold":${number}}`, ['threshold'])).toEqual({ threshold: number });
    expect(parseExactJson(`1.${zeros}`)).toBe(1);
  });
  expect(ms).toBeLessThan(1_000);
});
