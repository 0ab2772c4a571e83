import { expect, test } from 'vitest';
import { castToBillionths } from '#src/core/decimal.ts';
import type { RatePeriod, TariffRates } from '#src/tariffs/tariff.ts';
import { findEnergyPrice } from './prices.ts';

const price = (euros: number) => castToBillionths(BigInt(euros) * 1_000_000_000n);
const period = (given: Partial<RatePeriod>): RatePeriod => ({
  perKwh: price(1),
  days: null,
  months: null,
  fromMinute: 0,
  toMinute: 1_440,
  ...given,
});
const priceAt = (rates: TariffRates, weekday: number, minute: number, month = 1, series: number | null = null) => {
  const day = { date: '', month, weekday, quarters: 96 };
  const found = findEnergyPrice(rates, 0, { day, minute, offset: { atMs: 0, offsetMs: 0 } }, () =>
    series === null ? null : price(series),
  );
  return found === null ? null : Number(found / 10n ** 18n);
};

test('the first matching period applies, and after midnight the weekday of the new day counts', () => {
  const rates: TariffRates = {
    kind: 'periods',
    periods: [
      period({ perKwh: price(5), months: new Set([12]) }),
      period({ perKwh: price(2), days: new Set([5]), fromMinute: 1_320, toMinute: 360 }),
      period({ perKwh: price(3), fromMinute: 420, toMinute: 1_200 }),
      period({ perKwh: price(4) }),
    ],
  };
  expect(priceAt(rates, 5, 1_320)).toBe(2);
  expect(priceAt(rates, 5, 0)).toBe(2);
  // The period from 22:00 to 06:00 applies on Fridays. After midnight it is Saturday, so the period no longer applies.
  expect(priceAt(rates, 6, 0)).toBe(4);
  expect(priceAt(rates, 5, 360)).toBe(4);
  expect(priceAt(rates, 1, 420)).toBe(3);
  expect(priceAt(rates, 1, 1_185)).toBe(3);
  expect(priceAt(rates, 1, 1_200)).toBe(4);
  expect(priceAt(rates, 5, 0, 12)).toBe(5);
});

test('a series price is multiplied, then increased; an unknown price stays unknown', () => {
  const rates: TariffRates = { kind: 'series', seriesId: 'prs_1', multiply: price(2), add: price(7) };
  expect(priceAt(rates, 1, 0, 1, 10)).toBe(27);
  expect(priceAt(rates, 1, 0, 1, -10)).toBe(-13);
  expect(priceAt(rates, 1, 0)).toBeNull();
});
