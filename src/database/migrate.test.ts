import { expect, test } from 'vitest';
import { getRetentionStartMs } from './migrate.ts';

test('the retention begins on the last day of a month that is too short, and never moves back', () => {
  const starts = Array.from({ length: 800 }, (_, day) => getRetentionStartMs(Date.UTC(2026, 0, 1 + day, 12), 13));
  expect(starts.filter((start, index) => start < (starts[index - 1] ?? 0))).toEqual([]);
  expect(new Date(getRetentionStartMs(Date.UTC(2026, 2, 31), 13)).toISOString()).toBe('2025-02-28T00:00:00.000Z');
});
