import { expect, test } from 'vitest';
import { exitCodeOf } from './import.ts';

const FINE = { rejected: {}, left_out: {}, unreadable: 0 };

test.each([
  ['all rows counted', FINE, 0],
  ['a row that cannot be read', { ...FINE, unreadable: 1 }, 3],
  ['readings that count nothing', { ...FINE, left_out: { overlap: 4 } }, 3],
  [
    'readings that were refused',
    { rejected: { 'time is older than the retention': 1 }, left_out: {}, unreadable: 1 },
    1,
  ],
])('the exit code tells of %s', (_name, result, code) => {
  expect(exitCodeOf(result)).toBe(code);
});
