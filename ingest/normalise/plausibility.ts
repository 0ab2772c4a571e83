import { castToMilliwattHours, HOUR_MS, type MilliwattHours } from '#src/core/units.ts';
import type { CountingSettings } from './counting-rule.ts';

const KWH = 1_000_000;
/** Mean power that any home can have: 20 kW, in mW. */
const USUAL_MW = 20_000_000;
/** Finest resolution that is assumed for a register: 0.001 kWh, in mWh. */
const FINEST_MILLIWATT_HOURS = 1_000;

/** The value of a register at a time. */
export interface RegisterValue {
  readAtMs: number;
  valueMilliwattHours: MilliwattHours;
  isByHand?: true;
}

/** Returns the value of the last decimal place that the device sent, in mWh, but at most 1 kWh. For 12.34 kWh, it is 0.01 kWh. */
function lastPlaceMilliwattHours(valueMilliwattHours: MilliwattHours): number {
  let unit = 1;
  while (unit < KWH && valueMilliwattHours % (unit * 10) === 0) unit *= 10;
  return unit;
}

/**
 * Whether a register did not fall between `a` and `b`, and rose no faster than the device's limit. The tolerance is one unit in the last
 * decimal place.
 */
export function isPlausibleRegisterChange(a: RegisterValue, b: RegisterValue, settings: CountingSettings): boolean {
  return isPlausibleStep(b.valueMilliwattHours - a.valueMilliwattHours, a, b, settings);
}

function isPlausibleStep(
  stepMilliwattHours: number,
  a: RegisterValue,
  b: RegisterValue,
  { limitKw }: CountingSettings,
): boolean {
  if (stepMilliwattHours < 0) return false;
  const resolution = Math.max(
    FINEST_MILLIWATT_HOURS,
    Math.min(lastPlaceMilliwattHours(a.valueMilliwattHours), lastPlaceMilliwattHours(b.valueMilliwattHours)),
  );
  return isAtMost(stepMilliwattHours - resolution, Math.round(limitKw * KWH), b.readAtMs - a.readAtMs);
}

/** Whether energy ≤ power × duration. The comparison is exact beyond 2^53. */
function isAtMost(energyMilliwattHours: number, powerMw: number, durationMs: number): boolean {
  const [left, right] = [energyMilliwattHours * HOUR_MS, powerMw * durationMs];
  if (Number.isSafeInteger(left) && Number.isSafeInteger(right)) return left <= right;
  return BigInt(energyMilliwattHours) * BigInt(HOUR_MS) <= BigInt(powerMw) * BigInt(durationMs);
}

/**
 * Whether a home can have used the energy between `a` and `b` at constant power: at most 20 kW or, if this is more, a fifth of the device's
 * limit. If a source reports late, the energy is spread over the time since `a`.
 */
export function isPlausibleConstantPower(a: RegisterValue, b: RegisterValue, { limitKw }: CountingSettings): boolean {
  const [step, durationMs] = [b.valueMilliwattHours - a.valueMilliwattHours, b.readAtMs - a.readAtMs];
  return isAtMost(step, USUAL_MW, durationMs) || isAtMost(5 * step, Math.round(limitKw * KWH), durationMs);
}

/** Whether the register fell by at most 1 % and 0.1 kWh. Some registers lose their decimal places at a restart. */
export function isRegisterJitter(a: RegisterValue, b: RegisterValue): boolean {
  const drop = a.valueMilliwattHours - b.valueMilliwattHours;
  return drop > 0 && drop <= KWH / 10 && drop * 100 <= a.valueMilliwattHours;
}

/**
 * Returns the energy in mWh if a register has passed its maximum and started again from 0; otherwise null. The value must fall from above
 * 90 % to below 10 % of the maximum.
 */
export function computeRolloverMilliwattHours(
  a: RegisterValue,
  b: RegisterValue,
  settings: CountingSettings,
): number | null {
  if (settings.registerMaxKwh === null) return null;
  const maximum = Math.round(settings.registerMaxKwh * KWH);
  const isAcross =
    a.valueMilliwattHours <= maximum &&
    a.valueMilliwattHours * 10 > maximum * 9 &&
    b.valueMilliwattHours * 10 < maximum;
  const step = maximum - a.valueMilliwattHours + b.valueMilliwattHours;
  return isAcross && isPlausibleStep(step, a, b, settings) ? step : null;
}

/** Whether a register was reset to zero: its value fell below 10 % of the previous value, and can have risen from zero to it since then. */
export function isRegisterReset(a: RegisterValue, b: RegisterValue, settings: CountingSettings): boolean {
  return (
    b.valueMilliwattHours * 10 < a.valueMilliwattHours &&
    isPlausibleRegisterChange({ readAtMs: a.readAtMs, valueMilliwattHours: castToMilliwattHours(0) }, b, settings)
  );
}
