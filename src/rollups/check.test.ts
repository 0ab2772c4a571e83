import { expect, test } from 'vitest';
import { findFirstCheckedMonth } from './check.ts';

test.each([
  ['2026-11-22T10:00:00Z', 13, '2025-10-01'],
  ['2026-11-01T00:00:00Z', 13, '2025-10-01'],
  ['2026-01-31T23:59:59Z', 12, '2025-01-01'],
  // Readings are stored for 13 months. February has no 31st day, so its last day is the oldest.
  ['2026-03-31T12:00:00Z', 13, '2025-02-01'],
])(
  'the check on %s with a retention of %i months begins with the month of the oldest accepted reading',
  (now, months, first) => {
    expect(findFirstCheckedMonth(new Date(now), months).toISOString().slice(0, 10)).toBe(first);
  },
);
