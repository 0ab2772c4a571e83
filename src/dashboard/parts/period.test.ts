import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  changePeriodUnit,
  formatDayRange,
  formatPeriod,
  formatPeriodForUrl,
  getIsoWeek,
  getLastDay,
  getPeriodAt,
  getPeriodForPage,
  getPreviousMonth,
  PERIOD_UNITS,
  parsePeriodFromUrl,
  shiftPeriod,
} from './period.ts';

const units = fc.constantFrom(...PERIOD_UNITS);
const dates = fc
  .integer({ min: 400, max: Date.UTC(2099, 11, 31) / 86_400_000 })
  .map((day) => new Date(day * 86_400_000).toISOString().slice(0, 10));

describe('a period of the dashboard', () => {
  test('has an address from which it is restored, and arrows that lead to its neighbours and back', () => {
    fc.assert(
      fc.property(units, dates, (unit, date) => {
        const period = getPeriodAt(unit, date);
        expect(period.start <= date && date <= getLastDay(period)).toBe(true);
        expect(parsePeriodFromUrl(formatPeriodForUrl(period))).toEqual(period);
        const next = shiftPeriod(period, 1);
        expect(shiftPeriod(next, -1)).toEqual(period);
        expect(next.start > getLastDay(period)).toBe(true);
        expect(getPeriodAt(unit, getLastDay(period))).toEqual(period);
      }),
    );
  });

  test('that contains today still contains it after its unit changes; any other period keeps its first day', () => {
    const october = getPeriodAt('month', '2026-10-20');
    expect(changePeriodUnit('day', october, '2026-10-12')).toEqual({ unit: 'day', start: '2026-10-12' });
    expect(changePeriodUnit('week', october, '2026-12-01')).toEqual({ unit: 'week', start: '2026-09-28' });
    expect(changePeriodUnit('year', october, '2026-12-01')).toEqual({ unit: 'year', start: '2026-01-01' });
  });

  test('of a week has its ISO 8601 number', () => {
    expect(getIsoWeek('2026-12-28')).toEqual({ year: 2026, week: 53 });
    expect(getIsoWeek('2024-12-30')).toEqual({ year: 2025, week: 1 });
    expect(formatPeriodForUrl(getPeriodAt('week', '2027-01-03'))).toBe('week/2026-W53');
  });

  test('is null if the address is invalid', () => {
    const rubbish = [
      '',
      'day',
      'day/',
      'day/2026-02-30',
      'day/2026-1-1',
      'week/2025-W53',
      'week/2026-W00',
      'month/2026',
    ];
    for (const address of [...rubbish, 'month/2026-13', 'year/26', 'year/0001', 'hour/2026-01-01', 'day/2026-01-01/x'])
      expect({ address, is: parsePeriodFromUrl(address) }).toEqual({ address, is: null });
  });

  test('has a readable name', () => {
    expect(formatPeriod(getPeriodAt('day', '2026-10-12'))).toMatch(/Mon.*12/);
    expect(formatPeriod(getPeriodAt('month', '2026-10-12'))).toBe('October 2026');
    expect(formatDayRange('2026-10-12', '2026-10-18')).toMatch(/12.*18/);
  });
});

test.each([
  ['', 'day/2026-11-24'],
  ['week', 'week/2026-W48'],
  ['month/', 'month/2026-11'],
  ['year', 'year/2026'],
  ['fortnight', 'day/2026-11-24'],
  ['week/2026-W02', 'week/2026-W02'],
])('the address "%s" shows the period %s', (address, shown) => {
  expect(formatPeriodForUrl(getPeriodForPage(address, '2026-11-24'))).toBe(shown);
});

test('getPreviousMonth returns the first and the last day of the previous month', () => {
  expect(getPreviousMonth('2026-11-23')).toEqual({ start: '2026-10-01', end: '2026-10-31' });
  expect(getPreviousMonth('2028-03-31')).toEqual({ start: '2028-02-01', end: '2028-02-29' });
  expect(getPreviousMonth('2026-01-01')).toEqual({ start: '2025-12-01', end: '2025-12-31' });
});
