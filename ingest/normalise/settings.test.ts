import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CountingSettings, CountingSettingsByTime } from './counting-rule.ts';
import {
  applyCountingSettingsUntil,
  createCountingSettingsLookup,
  findRangeComputedWithOtherSettings,
} from './settings.ts';

const of = (limitKw: number): CountingSettings => ({ limitKw, registerMaxKwh: null, maxGapMinutes: 15 });
const { NEGATIVE_INFINITY, POSITIVE_INFINITY } = Number;

test('applies new settings before a time, and leaves the previous ones from it on', () => {
  const whole = applyCountingSettingsUntil(of(100), of(10), POSITIVE_INFINITY);
  expect(whole).toEqual(of(10));
  expect(applyCountingSettingsUntil(of(100), of(10), NEGATIVE_INFINITY)).toEqual(of(100));
  const half = applyCountingSettingsUntil(of(100), of(10), 5_000);
  expect(half).toEqual({ ...of(100), earlier: [{ ...of(10), untilMs: 5_000 }] });
  expect([4_999, 5_000].map((ms) => createCountingSettingsLookup(half)(ms).limitKw)).toEqual([10, 100]);
  expect(findRangeComputedWithOtherSettings(half, of(10))).toEqual({ fromMs: 5_000, toMs: POSITIVE_INFINITY });
  // The setting was changed back while it was being applied, so only the part to which it had been applied is recomputed.
  expect(findRangeComputedWithOtherSettings(half, of(100))).toEqual({ fromMs: NEGATIVE_INFINITY, toMs: 5_000 });
  expect(applyCountingSettingsUntil(half, of(100), 5_000)).toEqual(of(100));
});

test('each time gets the most recent setting, and in the end no time is pending', () => {
  const step = fc.record({ limitKw: fc.constantFrom(10, 20, 30), untilMs: fc.integer({ min: 0, max: 20 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      let computedWith: CountingSettingsByTime = of(10);
      const wanted = Array.from({ length: 22 }, () => 10);
      for (const { limitKw, untilMs } of steps) {
        computedWith = applyCountingSettingsUntil(computedWith, of(limitKw), untilMs);
        wanted.fill(limitKw, 0, untilMs);
        expect(wanted.map((_, ms) => createCountingSettingsLookup(computedWith)(ms).limitKw)).toEqual(wanted);
        const otherwise = findRangeComputedWithOtherSettings(computedWith, of(limitKw));
        const others = wanted.flatMap((one, ms) => (one === limitKw ? [] : ms));
        expect(otherwise === null).toBe(others.length === 0);
        if (otherwise) expect(otherwise.fromMs).toBe(others[0]);
      }
      expect(
        findRangeComputedWithOtherSettings(applyCountingSettingsUntil(computedWith, of(30), POSITIVE_INFINITY), of(30)),
      ).toBeNull();
    }),
  );
});
