import { expect, test } from 'vitest';
import { castToBillionths } from '#src/core/decimal.ts';
import {
  findPriceInDay,
  findPriceTimeErrors,
  listPricesOfDay,
  packPrices,
  parsePriceTime,
  unpackPrices,
} from './packed-days.ts';

const DAY_MS = 86_400_000;
const at = (time: string, price: bigint) => ({ startsAtMs: Date.parse(time), perKwh: castToBillionths(price) });

test.each([15, 30, 60])('packing and unpacking keeps prices of %i minutes and their times, in any order', (minutes) => {
  const slotMs = minutes * 60_000;
  const from = Date.parse('2026-03-28T00:00Z');
  const prices = Array.from({ length: (3 * DAY_MS) / slotMs }, (_, index) => ({
    startsAtMs: from + index * slotMs,
    perKwh: castToBillionths(BigInt(index) * 999_999_999_999n - 5n),
  })).filter((_, index) => index % 5 !== 3);
  const days = packPrices(prices.toReversed(), minutes);
  expect(days.map(({ day }) => day.getTime())).toEqual([from, from + DAY_MS, from + 2 * DAY_MS]);
  // `unpackPrices` gets the text of a PostgreSQL array without its braces, in which an empty string stands for NULL.
  const slots = days.map((one) => unpackPrices(one.prices.slice(1, -1).replaceAll('NULL', '')));
  expect(slots.map(({ length }) => length)).toEqual(Array(3).fill(1_440 / minutes));
  expect(days.flatMap(({ day }, index) => listPricesOfDay(day, slots[index] ?? []))).toEqual(prices);
});

test('the price at a time is that of the slot that contains the time', () => {
  const slots = Array.from({ length: 24 }, (_, hour) => (hour === 5 ? null : castToBillionths(BigInt(hour))));
  const day = Date.parse('2026-06-15T00:00Z');
  expect(findPriceInDay(slots, day)).toBe(0n);
  expect(findPriceInDay(slots, day + 3_600_000 - 1)).toBe(0n);
  expect(findPriceInDay(slots, day + 3_600_000)).toBe(1n);
  expect(findPriceInDay(slots, day + 5.25 * 3_600_000)).toBe(null);
  expect(findPriceInDay(slots, day + DAY_MS - 1)).toBe(23n);
});

test('rejects a time that does not begin a slot, is too far away, or occurs twice', () => {
  const wrong = (minutes: number, ...times: string[]) =>
    findPriceTimeErrors(
      times.map((time) => ({ startsAtMs: parsePriceTime(time) })),
      minutes,
      100,
    ).map(({ index, message }) => [index, message]);
  const misplaced = 'must be a multiple of 60 minutes in UTC';
  expect(wrong(60, '2026-06-15T12:00:00+02:00', '2026-06-15T12:00:00Z')).toEqual([]);
  expect(wrong(60, '2026-06-15T12:00:00+05:30', '2026-06-15T12:00:00.0001Z', '2026-06-15T12:15:00Z')).toEqual([
    [0, misplaced],
    [1, misplaced],
    [2, misplaced],
  ]);
  expect(wrong(30, '2026-06-15T12:00:00+05:30', '2026-06-15T12:00:00.000000Z')).toEqual([]);
  expect(wrong(15, '2026-06-15T12:00:00+05:45')).toEqual([]);
  expect(wrong(15, '1969-12-31T23:45:00Z', '2099-12-31T23:45:00Z', '2100-01-01T00:00:00Z')).toEqual([
    [0, 'must lie in the years 1970 to 2099'],
    [2, 'must lie in the years 1970 to 2099'],
  ]);
  expect(wrong(15, '2026-06-15T12:00:00Z', '2026-06-15T14:00:00+02:00')).toEqual([[1, 'occurs twice']]);
  expect(findPriceTimeErrors(Array(500).fill(at('2026-06-15T12:01:00Z', 1n)), 15, 7)).toHaveLength(7);
});
