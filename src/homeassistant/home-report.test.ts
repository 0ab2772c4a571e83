import { expect, test } from 'vitest';
import { findReportedPeriods } from './home-report.ts';

const at = (time: string, zone = 'Europe/Berlin') => findReportedPeriods(new Date(time), zone);

test('the sums cover the current month so far, and the current day', () => {
  const { month, day, since } = at('2026-11-23T12:00:00+01:00');
  expect([month.start, month.end, day.start]).toEqual(['2026-11-01', '2026-11-23', '2026-11-23']);
  expect(since).toEqual({ month: '2026-11-01T00:00:00+01:00', day: '2026-11-23T00:00:00+01:00' });
});

test('a finished month is published in full for an hour and five minutes after its end', () => {
  const closing = at('2026-11-01T01:04:59+01:00');
  expect([closing.month.start, closing.month.end, closing.day.start]).toEqual([
    '2026-10-01',
    '2026-10-31',
    '2026-11-01',
  ]);
  expect(closing.since).toEqual({ month: '2026-10-01T00:00:00+02:00', day: '2026-11-01T00:00:00+01:00' });
  expect(at('2026-11-01T01:05:00+01:00').month).toMatchObject({ start: '2026-11-01', end: '2026-11-01' });
});

test('a day whose midnight is skipped or occurs twice begins at its first instant', () => {
  expect(at('2026-09-06T12:00:00-03:00', 'America/Santiago').since.day).toBe('2026-09-06T01:00:00-03:00');
  expect(at('2026-11-01T12:00:00-05:00', 'America/Havana').since.day).toBe('2026-11-01T00:00:00-04:00');
});
