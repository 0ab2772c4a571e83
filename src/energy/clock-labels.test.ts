import assert from 'node:assert/strict';
import fc from 'fast-check';
import { DateTime } from 'luxon';
import { expect, test } from 'vitest';
import { createRowTimeLabeller } from '#src/energy/clock-labels.ts';
import { createDayRange, SUB_DAY_UNIT_MINUTES, type SubDayUnit } from '#src/energy/ranges.ts';
import { measureProcessorMs } from '#test/support/processor-time.ts';

const HOUR_MS = 3_600_000;
const UNITS = Object.keys(SUB_DAY_UNIT_MINUTES) as SubDayUnit[];
const ZONES = [
  ...[
    'UTC',
    'GMT',
    'Etc/UTC',
    'Europe/London',
    'Europe/Berlin',
    'America/Havana',
    'Atlantic/Azores',
    'America/St_Johns',
  ],
  ...[
    'Africa/Casablanca',
    'Asia/Kathmandu',
    'Australia/Lord_Howe',
    'Pacific/Apia',
    'Africa/Monrovia',
    'America/Caracas',
  ],
];

test('labels hours and shorter units as a calendar library does, in every zone, across each clock change', () => {
  const asked = fc.record({
    zone: fc.constantFrom(...ZONES),
    fromMs: fc.integer({ min: Date.parse('1970-01-02'), max: Date.parse('2095-01-01') }),
    days: fc.integer({ min: 1, max: 60 }),
    unit: fc.constantFrom(...UNITS),
  });
  fc.assert(
    fc.property(asked, ({ zone, fromMs, days, unit }) => {
      const first = DateTime.fromMillis(fromMs, { zone });
      const range = createDayRange(first.toISODate() ?? '', first.plus({ days }).toISODate() ?? '', zone);
      const labels = createRowTimeLabeller(range, unit);
      const stepMs = 7 * SUB_DAY_UNIT_MINUTES[unit] * 60_000;
      for (let ms = range.from.getTime(); ms < range.to.getTime(); ms += stepMs) {
        const local = DateTime.fromMillis(ms, { zone });
        assert.deepEqual(labels(new Date(ms)), {
          date: local.toFormat('yyyy-MM-dd'),
          ...(unit === 'hour' ? { hour: local.toFormat('HH:00') } : { time: local.toFormat('HH:mm') }),
          starts_at: local.toISO({ suppressMilliseconds: true }),
        });
      }
    }),
    { numRuns: 30 },
  );
});

test('labels the hours of a year fast enough', () => {
  const range = createDayRange('2025-01-01', '2025-12-31', 'Europe/Berlin');
  // Only the fastest of five runs counts, because the first runs include compilation.
  const times = Array.from({ length: 5 }, () =>
    measureProcessorMs(() => {
      const labels = createRowTimeLabeller(range, 'hour');
      for (let ms = range.from.getTime(); ms < range.to.getTime(); ms += HOUR_MS) labels(new Date(ms));
    }),
  );
  expect(Math.min(...times)).toBeLessThan(50);
});
