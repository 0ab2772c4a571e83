import { expect, test } from 'vitest';
import { formatNumberForInput, parseLocalDecimal } from './decimal-input.ts';

const number = (value: string) => ({ kind: 'number', value });
const unclear = (...values: string[]) => ({ kind: 'unclear', values });

test.each([
  ['12,5', '12.5'],
  ['12.5', '12.5'],
  [' 0,30 ', '0.30'],
  [',5', '0.5'],
  ['-3,25', '-3.25'],
  ['0,305', '0.305'],
  ['1234', '1234'],
  ['1.234,56', '1234.56'],
  ['1,234.56', '1234.56'],
  ['1 234,56', '1234.56'],
  ['1\u202f234\u00a0567', '1234567'],
  ['1’234.5', '1234.5'],
  ['1.234.567', '1234567'],
  ['0.1234', '0.1234'],
  ['1234.567', '1234.567'],
])('parses %s as %s, in every language', (text, value) => {
  expect(parseLocalDecimal(text, '.')).toEqual(number(value));
  expect(parseLocalDecimal(text, ',')).toEqual(number(value));
});

test('three digits after one mark are decimals if the language uses that mark for decimals, and ambiguous otherwise', () => {
  expect(parseLocalDecimal('1.234', '.')).toEqual(number('1.234'));
  expect(parseLocalDecimal('1,234', ',')).toEqual(number('1.234'));
  expect(parseLocalDecimal('1,234', '.')).toEqual(unclear('1.234', '1234'));
  expect(parseLocalDecimal('1.234', ',')).toEqual(unclear('1.234', '1234'));
  expect(parseLocalDecimal('-12.500', ',')).toEqual(unclear('-12.500', '-12500'));
});

test.each(['abc', '1e3', '1,2,3', '12.34,5', '1.23.456', '1.234,56,7', '1,5 kWh', '--1', '.', '1 23', '0x10', '٣'])(
  'rejects %s as a number',
  (text) => {
    expect(parseLocalDecimal(text, '.')).toEqual({ kind: 'none' });
    expect(parseLocalDecimal(text, ',')).toEqual({ kind: 'none' });
  },
);

test('an empty field is no error, and a formatted number is parsed back', () => {
  expect(parseLocalDecimal('  ')).toEqual({ kind: 'empty' });
  expect(formatNumberForInput(null)).toBe('');
  for (const value of ['0.305', '1.234', '12500.5', '100', '-3.125'])
    for (const point of ['.', ','])
      expect(parseLocalDecimal(formatNumberForInput(value, point), point)).toEqual(number(value));
});
