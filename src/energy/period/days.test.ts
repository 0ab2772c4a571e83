import fc from 'fast-check';
import { DateTime } from 'luxon';
import { describe, expect, test } from 'vitest';
import { countDays } from '../ranges.ts';
import { findComparedDays, findPeriodDays, getTimeRangeOfDays, PERIOD_UNITS } from './days.ts';

const ZONES = ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'Australia/Lord_Howe', 'America/Havana', 'Pacific/Apia'];
const units = fc.constantFrom(...PERIOD_UNITS);
const dates = fc
  .integer({ min: Date.UTC(1999, 0, 1) / 86_400_000, max: Date.UTC(2037, 11, 31) / 86_400_000 })
  .map((day) => new Date(day * 86_400_000).toISOString().slice(0, 10));
const weekday = (date: string) => DateTime.fromISO(date).weekday;

describe('a period', () => {
  test('contains its date, is followed by the next one, and has the length of its unit', () => {
    fc.assert(
      fc.property(units, dates, (unit, date) => {
        const { start, end } = findPeriodDays(unit, date);
        expect(start <= date && date <= end).toBe(true);
        const lengths = { day: [1], week: [7], month: [28, 29, 30, 31], year: [365, 366] };
        expect(lengths[unit]).toContain(countDays(start, end));
        const after = DateTime.fromISO(end).plus({ days: 1 }).toISODate() ?? '';
        expect(findPeriodDays(unit, after).start).toBe(after);
        expect(findPeriodDays(unit, start)).toEqual(findPeriodDays(unit, end));
      }),
    );
  });

  test('for a week is the ISO 8601 week, even across the end of a year', () => {
    expect(findPeriodDays('week', '2027-01-03')).toEqual({ start: '2026-12-28', end: '2027-01-03' });
    expect(findPeriodDays('week', '2026-10-26')).toEqual({ start: '2026-10-26', end: '2026-11-01' });
    expect(findPeriodDays('month', '2028-02-29')).toEqual({ start: '2028-02-01', end: '2028-02-29' });
  });
});

describe('the days that a period is compared with', () => {
  test('are equally many, on the same weekdays, and none of the period’s own', () => {
    fc.assert(
      fc.property(units, dates, fc.integer({ min: 0, max: 400 }), (unit, date, more) => {
        const days = findPeriodDays(unit, date);
        const until = DateTime.fromISO(days.start).plus({ days: more }).toISODate() ?? '';
        const compared = findComparedDays(unit, days, until);
        if (!compared) throw new Error('it has begun');
        expect(compared.now).toEqual({ start: days.start, end: until < days.end ? until : days.end });
        for (const other of [compared.before, compared.last_year]) {
          if (!other) continue;
          expect(countDays(other.start, other.end)).toBe(countDays(compared.now.start, compared.now.end));
          expect(weekday(other.start)).toBe(weekday(days.start));
          expect(other.end < compared.now.start).toBe(true);
        }
      }),
    );
  });

  test('are as near as possible', () => {
    const comparedWith = (unit: (typeof PERIOD_UNITS)[number], date: string, until: string) =>
      findComparedDays(unit, findPeriodDays(unit, date), until);
    expect(comparedWith('day', '2026-10-13', '2026-10-13')).toEqual({
      now: { start: '2026-10-13', end: '2026-10-13' },
      before: { start: '2026-10-06', end: '2026-10-06' },
      last_year: { start: '2025-10-14', end: '2025-10-14' },
    });
    expect(comparedWith('month', '2026-10-01', '2026-10-12')?.before).toEqual({
      start: '2026-09-03',
      end: '2026-09-14',
    });
    // October has 31 days. A period of 31 days that begins four weeks before October would share three days with it.
    expect(comparedWith('month', '2026-10-01', '2026-12-01')?.before).toEqual({
      start: '2026-08-27',
      end: '2026-09-26',
    });
    expect(comparedWith('year', '2026-01-01', '2026-03-31')?.last_year).toEqual({
      start: '2025-01-02',
      end: '2025-04-01',
    });
    expect(comparedWith('year', '2026-01-01', '2026-03-31')?.before).toBeNull();
    expect(comparedWith('month', '2026-10-01', '2026-09-30')).toBeNull();
  });

  test('are cut at the current local time on their last day, even on a day with a clock change', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), dates, fc.integer({ min: 0, max: 1_439 }), (zone, date, minute) => {
        const now = DateTime.fromISO(date, { zone }).plus({ minutes: minute });
        const whole = getTimeRangeOfDays({ start: date, end: date }, zone, null);
        const cut = getTimeRangeOfDays({ start: date, end: date }, zone, now.toJSDate());
        expect(cut.from).toEqual(whole.from);
        expect(cut.to >= cut.from && cut.to <= whole.to).toBe(true);
        if (cut.to < whole.to) expect(cut.to.getTime() % 900_000).toBe(0);
      }),
    );
    const at = (date: string, iso: string) =>
      getTimeRangeOfDays({ start: date, end: date }, 'Europe/Berlin', new Date(iso)).to.toISOString();
    // The current times are 14:40 in summer, 14:10 in winter, and 14:10 a week after a change to winter time.
    expect(at('2026-10-12', '2026-10-19T12:40:00Z')).toBe('2026-10-12T12:30:00.000Z');
    expect(at('2025-11-24', '2026-11-23T13:10:00Z')).toBe('2025-11-24T13:00:00.000Z');
    expect(at('2026-10-25', '2026-11-01T13:10:00Z')).toBe('2026-10-25T13:00:00.000Z');
  });
});
