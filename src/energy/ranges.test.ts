import fc from 'fast-check';
import { DateTime } from 'luxon';
import { expect, test } from 'vitest';
import { countDays, createDayRange, findCommonIntervalMinutes, isDate, splitRangeByDays } from '#src/energy/ranges.ts';
import { formatEpochDate } from '#src/energy/usage/imports.ts';
import { measureProcessorMs } from '#test/support/processor-time.ts';

test('pieces of UTC hours are as long as the hours of a zone allow', () => {
  const pieces = (zone: string, start = '2026-01-01', end = '2026-12-31') =>
    findCommonIntervalMinutes(createDayRange(start, end, zone));
  const zones = ['UTC', 'Europe/Berlin', 'Africa/Casablanca', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Asia/Kathmandu'];
  expect(zones.map((zone) => pieces(zone))).toEqual([60, 60, 60, 30, 30, 15]);
  // The UTC offset of Lord Howe Island contains a half-hour only in winter. The offset of Singapore did so only until 1981.
  expect(pieces('Australia/Lord_Howe', '2026-01-01', '2026-01-01')).toBe(60);
  expect(pieces('Australia/Lord_Howe', '2026-06-01', '2026-06-01')).toBe(30);
  expect(pieces('Australia/Lord_Howe', '9990-01-01', '9990-12-31')).toBe(30);
  expect(pieces('Asia/Singapore', '1981-12-31', '1982-01-01')).toBe(30);
  expect(pieces('Asia/Singapore')).toBe(60);
  // Until 1986, Nepal's UTC offset was 5:30.
  expect(pieces('Asia/Kathmandu', '1985-12-01', '1985-12-30')).toBe(30);
  expect(pieces('Asia/Kathmandu', '1985-12-01', '1986-02-01')).toBe(15);
  const halves = zones.map((zone) =>
    findCommonIntervalMinutes(createDayRange('2026-01-01', '2026-12-31', zone), 'half_hour'),
  );
  expect(halves).toEqual([30, 30, 30, 30, 30, 15]);
  expect(
    zones.map((zone) => findCommonIntervalMinutes(createDayRange('2026-01-01', '2026-12-31', zone), 'quarter_hour')),
  ).toEqual(zones.map(() => 15));
});

test('the length of pieces is found as fast for eight thousand years as for eighty', () => {
  // Only the fastest of five runs counts, because the first runs include compilation.
  const times = Array.from({ length: 5 }, () =>
    measureProcessorMs(() => findCommonIntervalMinutes(createDayRange('1970-01-01', '9999-12-30', 'Europe/Berlin'))),
  );
  expect(Math.min(...times)).toBeLessThan(500);
});

const DAYS_TO_9999 = Date.UTC(9999, 11, 31) / 86_400_000;
const anyDay = fc.integer({ min: 0, max: DAYS_TO_9999 }).map((day) => day * 86_400);

test('days in UTC are those of the calendar library', () => {
  fc.assert(
    fc.property(anyDay, anyDay, (first, last) => {
      const [start, end] = [formatEpochDate(first), formatEpochDate(last)];
      expect(start).toBe(DateTime.fromSeconds(first, { zone: 'utc' }).toISODate());
      // `Etc/UTC` has the same days, but no fast path.
      expect(createDayRange(start, end, 'UTC')).toEqual({ ...createDayRange(start, end, 'Etc/UTC'), zone: 'UTC' });
    }),
  );
});

test('a date exists exactly if the calendar library knows it', () => {
  const number = (max: number) => fc.integer({ min: 0, max }).map((value) => String(value).padStart(2, '0'));
  fc.assert(
    fc.property(fc.integer({ min: 1970, max: 9999 }), number(13), number(32), (year, month, day) => {
      const text = `${year}-${month}-${day}`;
      expect(isDate(text), text).toBe(DateTime.fromISO(text, { zone: 'utc' }).isValid);
    }),
    { numRuns: 2_000 },
  );
  for (const text of ['1969-12-31', '2026-6-1', '2026-06-01T00:00', ' 2026-06-01', '2026-06-01 ', ''])
    expect(isDate(text), text).toBe(false);
});

test('a day on which the clock goes back over midnight begins at the first midnight', () => {
  const day = createDayRange('2026-11-01', '2026-11-01', 'America/Havana');
  expect([day.from.toISOString(), day.to.toISOString()]).toEqual([
    '2026-11-01T04:00:00.000Z',
    '2026-11-02T05:00:00.000Z',
  ]);
});

test.each(['UTC', 'Europe/Berlin', 'Atlantic/Azores', 'Africa/Casablanca'])(
  'a range of %s consists of its consecutive stretches',
  (zone) => {
    for (const [start, end, days] of [
      ['2025-01-01', '2025-12-31', 31],
      ['2026-03-29', '2026-03-29', 31],
      ['2026-03-01', '2026-03-31', 31],
      ['2024-02-28', '2025-03-01', 1],
    ] as const) {
      const whole = createDayRange(start, end, zone);
      const stretches = splitRangeByDays(whole, days);
      expect([stretches[0]?.from, stretches.at(-1)?.to]).toEqual([whole.from, whole.to]);
      expect([stretches[0]?.start, stretches.at(-1)?.end]).toEqual([start, end]);
      for (const [index, { from }] of stretches.slice(1).entries()) expect(from).toEqual(stretches[index]?.to);
      expect(stretches).toHaveLength(Math.ceil(countDays(start, end) / days));
    }
  },
);
