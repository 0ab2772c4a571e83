import { describe, expect, test } from 'vitest';
import {
  hasTimeCondition,
  isEmptyRatePeriod,
  listSeriesIdsOfTerms,
  normalisePrice,
  parsePrice,
  parseTariff,
} from './terms.ts';

describe('a price', () => {
  test.each([
    ['0.30', '0.30'],
    ['0', '0'],
    ['-0.5', '-0.5'],
    ['12', '12'],
    ['0.123456789', '0.123456789'],
    ['999999999.999999999', '999999999.999999999'],
    ['1e-9', '0.000000001'],
    ['007', '7'],
    ['-0', '0'],
    ['-0.00', '0'],
    ['0.10000000000', '0.1'],
    ['1E2', '100'],
  ])('%s is stored as %s', (written, kept) => {
    expect(normalisePrice(written)).toBe(kept);
    expect(parsePrice(kept)).toBe(parsePrice(written));
  });

  test.each([
    '',
    ' ',
    '0.1234567891',
    '1e-10',
    '1000000000',
    '-1e9',
    '1e400',
    'NaN',
    'Infinity',
    '0x10',
    '+1',
    '1,5',
    '.5',
    '1.',
  ])('%s is not a price', (written) => {
    expect(normalisePrice(written)).toBe(null);
  });
});

const row = { tariff_id: 'trf_1', user_id: 'usr_1', name: 'x', valid_from: '2026-01-01', currency: 'EUR' };

test('stored terms become a tariff with exact prices, and missing terms get the defaults of the API', () => {
  const periods = [{ per_kwh: '0.30', days: [1, 7], from: '22:00', to: '06:15', months: [12] }, { per_kwh: '-0.1' }];
  const terms = { standing_per_day: '0.41', import: { periods }, export: { series_id: 'prs_1' } };
  expect(parseTariff({ ...row, terms: { ...terms, capacity: { per_kw_month: '4.5' } } })).toEqual({
    tariffId: 'trf_1',
    userId: 'usr_1',
    name: 'x',
    validFrom: '2026-01-01',
    currency: 'EUR',
    standingPerDay: 410_000_000n,
    capacity: { perKwMonth: 4_500_000_000n, monthsAveraged: 1, minimumKw: 0n },
    import: {
      kind: 'periods',
      periods: [
        { perKwh: 300_000_000n, days: new Set([1, 7]), months: new Set([12]), fromMinute: 1_320, toMinute: 375 },
        { perKwh: -100_000_000n, days: null, months: null, fromMinute: 0, toMinute: 1_440 },
      ],
    },
    export: { kind: 'series', seriesId: 'prs_1', multiply: 1_000_000_000n, add: 0n },
  });
  const capacity = { per_kw_month: '4.5', months_averaged: 12, minimum_kw: '2.5' };
  expect(parseTariff({ ...row, terms: { import: { per_kwh: '0' }, capacity } })).toMatchObject({
    standingPerDay: null,
    capacity: { monthsAveraged: 12, minimumKw: 2_500_000_000n },
    import: { kind: 'flat', perKwh: 0n },
    export: null,
  });
  expect(() => parseTariff({ ...row, terms: { import: { per_kwh: 'x' } } })).toThrow('x is no price');
});

test('seriesOf returns each series once', () => {
  expect(listSeriesIdsOfTerms({ import: { series_id: 'a' }, export: { series_id: 'a' } })).toEqual(['a']);
  expect(listSeriesIdsOfTerms({ import: { series_id: 'a' }, export: { series_id: 'b' } })).toEqual(['a', 'b']);
  expect(listSeriesIdsOfTerms({ import: { per_kwh: '1' } })).toEqual([]);
});

test('a period whose end equals its start is empty, and a period with times or months has a condition', () => {
  expect([{}, { from: '22:00', to: '00:00' }, { from: '00:00' }, { to: '24:00' }].map(isEmptyRatePeriod)).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect([{ to: '00:00' }, { from: '07:00', to: '07:00' }].map(isEmptyRatePeriod)).toEqual([true, true]);
  const conditions = [{}, { days: undefined }, { from: '00:00' }, { months: [1] }];
  expect(conditions.map((one) => hasTimeCondition({ per_kwh: '1', ...one }))).toEqual([false, false, true, true]);
});
