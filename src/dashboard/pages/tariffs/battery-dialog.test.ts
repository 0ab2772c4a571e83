import { expect, test } from 'vitest';
import { computePayback, countHoursInDays } from './battery-dialog.ts';
import { getLastTwelveMonths } from './what-if.ts';

test('the last twelve months are complete months, also after a leap day and at the turn of a year', () => {
  expect(getLastTwelveMonths('2026-11-27')).toEqual({ start: '2025-11-01', end: '2026-10-31' });
  expect(getLastTwelveMonths('2026-01-01')).toEqual({ start: '2025-01-01', end: '2025-12-31' });
  expect(getLastTwelveMonths('2024-03-31')).toEqual({ start: '2023-03-01', end: '2024-02-29' });
  expect(countHoursInDays(getLastTwelveMonths('2024-03-31'))).toBe(366 * 24);
});

test('computes the payback time of a battery as price ÷ yearly saving, if most of the year is known and something is saved', () => {
  const of = (saved: number, price: number, unknownHours = 0) =>
    computePayback({ saved, price, hours: 8_760, unknownHours });
  expect(of(250, 1_850)).toEqual({ kind: 'years', years: 7.4 });
  expect(of(250, 6_000)).toEqual({ kind: 'years', years: 24 });
  expect(of(250, 0)).toEqual({ kind: 'years', years: 0 });
  for (const saved of [0, -12.5]) expect(of(saved, 6_000)).toEqual({ kind: 'never' });
  expect(of(250, 6_000, 876)).toEqual({ kind: 'years', years: 24 });
  expect(of(250, 6_000, 876.25)).toEqual({ kind: 'unknown' });
});
