import { expect, test } from 'vitest';
import { monthBefore } from './bills.ts';

test('monthBefore returns the first and the last day of the previous month', () => {
  expect(monthBefore('2026-11-23')).toEqual({ start: '2026-10-01', end: '2026-10-31' });
  expect(monthBefore('2028-03-31')).toEqual({ start: '2028-02-01', end: '2028-02-29' });
  expect(monthBefore('2026-01-01')).toEqual({ start: '2025-12-01', end: '2025-12-31' });
});
