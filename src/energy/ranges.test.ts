import { expect, test } from 'vitest';
import { dayRange, needsQuarterHours } from '#src/energy/ranges.ts';

test('zones whose hours lie between those of UTC need quarter-hours, others do not', () => {
  const need = (zone: string, start = '2026-01-01', end = '2026-12-31') =>
    needsQuarterHours(dayRange(start, end, zone));
  expect(['Asia/Kolkata', 'Asia/Kathmandu', 'Australia/Lord_Howe'].map((zone) => need(zone))).toEqual([
    true,
    true,
    true,
  ]);
  expect(['UTC', 'Europe/Berlin', 'Africa/Casablanca'].map((zone) => need(zone))).toEqual([false, false, false]);
  // Half an hour for a part of the year only, in winter here, in summer there; and in the past only.
  expect(need('Australia/Lord_Howe', '2026-01-01', '2026-01-01')).toBe(false);
  expect(need('Australia/Lord_Howe', '2026-06-01', '2026-06-01')).toBe(true);
  expect(need('Australia/Lord_Howe', '9990-01-01', '9990-12-31')).toBe(true);
  expect(need('Asia/Singapore', '1981-12-31', '1982-01-01')).toBe(true);
  expect(need('Asia/Singapore')).toBe(false);
});

test('the question costs no more for eight thousand years than for eighty', () => {
  // The best of five: a busy machine only adds.
  const times = Array.from({ length: 5 }, () => {
    const startedAt = performance.now();
    needsQuarterHours(dayRange('1970-01-01', '9999-12-30', 'Europe/Berlin'));
    return performance.now() - startedAt;
  });
  expect(Math.min(...times)).toBeLessThan(500);
});

test('a day on which the clock goes back over midnight begins the first time that it is midnight', () => {
  const day = dayRange('2026-11-01', '2026-11-01', 'America/Havana');
  expect([day.from.toISOString(), day.to.toISOString()]).toEqual([
    '2026-11-01T04:00:00.000Z',
    '2026-11-02T05:00:00.000Z',
  ]);
});
