import assert from 'node:assert/strict';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { kwhToMilliwattHours, scaleAndRound, scaleDecimal } from './units.ts';

/** A decimal number as a device sends it: its digits, and the position of the point. */
const decimal = fc.record({
  digits: fc.oneof(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), fc.bigInt({ min: -2_000n, max: 2_000n })),
  places: fc.integer({ min: 0, max: 12 }),
});

function textOf({ digits, places }: { digits: bigint; places: number }): string {
  const text = String(digits < 0n ? -digits : digits).padStart(places + 1, '0');
  const point = text.length - places;
  return `${digits < 0n ? '-' : ''}${text.slice(0, point)}${places > 0 ? `.${text.slice(point)}` : ''}`;
}

/** Rounds in integer arithmetic to the nearest integer, with halves rounded away from zero. */
function rounded(digits: bigint, places: number, wanted: number): bigint {
  const numerator = (digits < 0n ? -digits : digits) * 10n ** BigInt(wanted);
  const divisor = 10n ** BigInt(places);
  const whole = (2n * numerator + divisor) / (2n * divisor);
  return digits < 0n ? -whole : whole;
}

test.each([3, 6])(
  'rounds any decimal of 15 digits to %i places from its digits as sent, halves away from zero',
  (wanted) => {
    fc.assert(
      fc.property(decimal, (one) => {
        const whole = rounded(one.digits, one.places, wanted);
        fc.pre(whole <= 9n * 10n ** 15n && whole >= -9n * 10n ** 15n);
        assert.equal(BigInt(scaleAndRound(Number(textOf(one)), wanted)), whole);
      }),
      { numRuns: 3_000 },
    );
  },
);

test.each([3, 6])('rounds halves correctly in spite of floating-point multiplication (%i places)', (wanted) => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 14n), max: 10n ** 14n }), (odd) => {
      const one = { digits: odd * 10n + (odd < 0n ? -5n : 5n), places: wanted + 1 };
      const sent = Number(textOf(one));
      fc.pre(String(sent).replace(/[-.]/g, '').length <= 15);
      assert.equal(BigInt(scaleAndRound(sent, wanted)), rounded(one.digits, one.places, wanted));
    }),
    { numRuns: 3_000 },
  );
});

test('converts a decimal of 12 digits to another unit exactly', () => {
  const digits = fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n });
  const factor = fc.constantFrom(1, 10, 100, 1_000, 1_000_000);
  fc.assert(
    fc.property(digits, fc.integer({ min: 0, max: 12 }), factor, factor, (digits, places, times, per) => {
      const sent = Number(textOf({ digits, places }));
      const shift = places + String(per).length - String(times).length;
      const wanted = textOf(
        shift >= 0 ? { digits, places: shift } : { digits: digits * 10n ** BigInt(-shift), places: 0 },
      );
      assert.equal(scaleDecimal(sent, times, per), Number(wanted) || 0);
    }),
    { numRuns: 3_000 },
  );
  expect(scaleDecimal(1.005, 1_000, 1)).toBe(1_005);
  expect(scaleDecimal(3.6, 1, 3.6)).toBe(1);
  expect(scaleDecimal(5, 2.5, 1)).toBe(12.5);
});

test('rounds numbers correctly that Math.round and a floating-point product round wrongly', () => {
  expect(scaleAndRound(-0.0005, 3)).toBe(-1);
  expect(scaleAndRound(-2.5, 0)).toBe(-3);
  expect(scaleAndRound(1.0005, 3)).toBe(1_001);
  expect(scaleAndRound(1.005, 2)).toBe(101);
  expect(kwhToMilliwattHours(0.0000005)).toBe(1);
  expect(kwhToMilliwattHours(8_999_999_999.123_457)).toBe(8_999_999_999_123_457);
  expect(scaleAndRound(1e-7, 3)).toBe(0);
  expect(scaleAndRound(5e-4, 3)).toBe(1);
  // The result is never -0, which JSON cannot represent.
  expect(Object.is(scaleAndRound(-0.0001, 3), 0)).toBe(true);
  expect(Object.is(scaleAndRound(-0, 3), 0)).toBe(true);
});
