import fc from 'fast-check';
import { expect, test } from 'vitest';
import { castToMilliwattHours } from '#src/core/units.ts';
import { isPlausibleReading } from '#test/reference/registers.ts';
import type { CountingSettings } from './counting-rule.ts';
import {
  computeRolloverMilliwattHours,
  isPlausibleConstantPower,
  isPlausibleRegisterChange,
  isRegisterJitter,
  isRegisterReset,
} from './plausibility.ts';

const KWH = 1_000_000;
const HOUR_MS = 3_600_000;
const device: CountingSettings = { limitKw: 10, registerMaxKwh: 1_000, maxGapMinutes: 15 };
/** Returns two register values in mWh with `ms` milliseconds between them. */
const pair = (a: number, b: number, ms = HOUR_MS) =>
  [
    { readAtMs: 0, valueMilliwattHours: castToMilliwattHours(a) },
    { readAtMs: ms, valueMilliwattHours: castToMilliwattHours(b) },
  ] as const;

// Each case is exactly at the limit of a rule; random values rarely are.
test.each([
  [100 * KWH, 100 * KWH, true],
  [100 * KWH, 100 * KWH - 1, false],
  // In an hour, the register may rise by 10 kWh, plus one unit in the last decimal place of the more precise value (at least 0.001 kWh).
  [100 * KWH, 110 * KWH + 1_000, true],
  [100 * KWH, 110 * KWH + 2_000, false],
  [100 * KWH, 110 * KWH + 1_001, false],
  // If both values are whole numbers of kWh, the register may rise by one more kWh.
  [100 * KWH, 111 * KWH, true],
  [100 * KWH, 112 * KWH, false],
])('judges a step from %d to %d mWh in an hour at 10 kW as plausible: %s', (a, b, is) => {
  expect(isPlausibleRegisterChange(...pair(a, b), device)).toBe(is);
});

test('agrees with the reference on the plausibility of 1,000 random pairs', () => {
  const value = fc.oneof(
    fc.nat(2_000).map((kwh) => kwh * KWH),
    fc.nat(2_000_000).map((wh) => wh * 1_000),
    fc.nat(2_000 * KWH),
  );
  const ms = fc.oneof(fc.integer({ min: 1, max: HOUR_MS }), fc.integer({ min: 1, max: 10_000 * HOUR_MS }));
  fc.assert(
    fc.property(
      value,
      fc.oneof(
        value,
        fc.nat(20_000).map((wh) => wh * 1_000),
      ),
      fc.boolean(),
      ms,
      (a, by, rises, time) => {
        const b = rises ? a + by : by;
        const reference = isPlausibleReading(
          { at: 0n, value: BigInt(a) },
          { at: BigInt(time), value: BigInt(b) },
          device.limitKw,
        );
        expect(isPlausibleRegisterChange(...pair(a, b, time), device)).toBe(reference);
      },
    ),
    { numRuns: 1_000 },
  );
});

test.each([
  [10 * KWH, 0, false],
  [10 * KWH, 1, true],
  // The register falls by exactly the maximum for jitter: 1 % and 0.1 kWh.
  [10 * KWH, 100_000, true],
  [10 * KWH - 1, 100_000, false],
  [20 * KWH, 100_001, false],
])('judges a step back from %d mWh by %d as jitter: %s', (a, drop, is) => {
  expect(isRegisterJitter(...pair(a, a - drop))).toBe(is);
});

test.each([
  [900 * KWH + 1, 99 * KWH, 20 * HOUR_MS, 199 * KWH - 1],
  [900 * KWH, 99 * KWH, 20 * HOUR_MS, null],
  [900 * KWH + 1, 100 * KWH, 20 * HOUR_MS, null],
  [1_000 * KWH, 0, HOUR_MS, 0],
  [1_000 * KWH + 1, 0, HOUR_MS, null],
  // The register rolls over and rises by 10 kWh in an hour, plus one unit in the last decimal place.
  [995 * KWH, 6 * KWH, HOUR_MS, 11 * KWH],
  [995 * KWH, 7 * KWH, HOUR_MS, null],
])('measures the rollover of a register of 1,000 kWh from %d to %d mWh in %d ms: %s mWh', (a, b, ms, step) => {
  expect(computeRolloverMilliwattHours(...pair(a, b, ms), device)).toBe(step);
  expect(computeRolloverMilliwattHours(...pair(a, b, ms), { ...device, registerMaxKwh: null })).toBeNull();
});

test.each([
  [20 * KWH, 100, true],
  [20 * KWH + 1, 100, false],
  // A fifth of the device's limit of 150 kW is 30 kW, which is more than 20 kW.
  [30 * KWH, 150, true],
  [30 * KWH + 1, 150, false],
])('judges %d mWh in an hour at a limit of %d kW as plausible for continuous use: %s', (rise, limitKw, is) => {
  expect(isPlausibleConstantPower(...pair(100 * KWH, 100 * KWH + rise), { ...device, limitKw })).toBe(is);
});

test.each([
  [100 * KWH, 9_999_000, HOUR_MS, true],
  [100 * KWH, 10 * KWH, HOUR_MS, false],
  // The register falls below 10 % of its value, but it cannot rise from zero to the new value in 15 minutes, so it was not reset.
  [100 * KWH, 9_999_000, HOUR_MS / 4, false],
])('judges a step from %d to %d mWh in %d ms as a reset: %s', (a, b, ms, is) => {
  expect(isRegisterReset(...pair(a, b, ms), device)).toBe(is);
});
