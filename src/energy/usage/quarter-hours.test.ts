import assert from 'node:assert/strict';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addPackedQuarterHours } from './quarter-hours.ts';

const added = (text: string | null, at: number, quarters: number, length = 6) => {
  const list = new Float64Array(length);
  addPackedQuarterHours(list, text, at, quarters);
  return [...list];
};

test.each([
  ['{1,2,3,4}', 1, 4, [0, 1, 2, 3, 4, 0]],
  ['{1,2,3,4}', -2, 4, [3, 4, 0, 0, 0, 0]],
  ['{1,2,3,4}', 4, 4, [0, 0, 0, 0, 1, 2]],
  ['{-5,NULL,7}', 0, 3, [-5, 0, 7, 0, 0, 0]],
  // A single array element stands for all quarter-hours of the day.
  ['{9}', 4, 96, [0, 0, 0, 0, 9, 9]],
  ['{9}', -94, 96, [9, 9, 0, 0, 0, 0]],
  ['{-9}', 2, 1, [0, 0, -9, 0, 0, 0]],
  [null, 0, 96, [0, 0, 0, 0, 0, 0]],
])('adds %s at index %i for %i quarter-hours', (text, at, quarters, list) => {
  expect(added(text, at, quarters)).toEqual(list);
});

test('adds values in each of PostgreSQL’s array formats to the existing values', () => {
  fc.assert(
    fc.property(fc.array(fc.maxSafeInteger(), { minLength: 2, maxLength: 20 }), (numbers) => {
      assert.deepEqual(
        added(`{${numbers.join(',')}}`, 0, numbers.length, numbers.length).map((one) => one + 0),
        numbers.map((one) => one + 0),
      );
    }),
  );
});
