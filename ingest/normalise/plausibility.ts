import { castToMilliwattHours, HOUR_MS, type MilliwattHours } from '#src/core/units.ts';
import type { CountingSettings } from './counting-rule.ts';

const KWH = 1_000_000;
/** Mean power that is usual in any home: 20 kW, in mW. */
const USUAL_MW = 20_000_000;
/** Minimum assumed resolution of a register: 0.001 kWh, in mWh. */
const FINEST_MILLIWATT_HOURS = 1_000;

/** A register's value at a time: the input of the plausibility rules. */
export interface RegisterValue {
  readAtMs: number;
  valueMilliwattHours: MilliwattHours;
  isByHand?: true;
}

/** Returns one unit in the last decimal place of a register value as sent, in mWh; at most 1 kWh. */
function lastPlaceMilliwattHours(valueMilliwattHours: MilliwattHours): number {
  let unit = 1;
  while (unit < KWH && valueMilliwattHours % (unit * 10) === 0) unit *= 10;
  return unit;
}

/**
 * Whether a register can have moved from `a` to `b`: not backwards, and not faster than the device's limit. Tolerance: one unit in the last
 * decimal place of the finer value.
 */
export function isPlausible(a: RegisterValue, b: RegisterValue, settings: CountingSettings): boolean {
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

/** Whether an energy is at most a power times a duration. Exact beyond 2^53. */
function isAtMost(energyMilliwattHours: number, powerMw: number, durationMs: number): boolean {
  const [left, right] = [energyMilliwattHours * HOUR_MS, powerMw * durationMs];
  if (Number.isSafeInteger(left) && Number.isSafeInteger(right)) return left <= right;
  return BigInt(energyMilliwattHours) * BigInt(HOUR_MS) <= BigInt(powerMw) * BigInt(durationMs);
}

/**
 * Whether a home can have used the energy between `a` and `b` at constant power: a fifth of the device's limit, but at least 20 kW. Applied
 * to late news, which is spread over the time from `a` to `b`.
 */
export function isPlausibleConstantPower(a: RegisterValue, b: RegisterValue, { limitKw }: CountingSettings): boolean {
  const [step, durationMs] = [b.valueMilliwattHours - a.valueMilliwattHours, b.readAtMs - a.readAtMs];
  return isAtMost(step, USUAL_MW, durationMs) || isAtMost(5 * step, Math.round(limitKw * KWH), durationMs);
}

/**
 * Whether the register stepped back slightly (by at most 1 % and 0.1 kWh). Some registers lose the digits after the decimal point at a
 * reboot.
 */
export function isRegisterJitter(a: RegisterValue, b: RegisterValue): boolean {
  const drop = a.valueMilliwattHours - b.valueMilliwattHours;
  return drop > 0 && drop <= KWH / 10 && drop * 100 <= a.valueMilliwattHours;
}

/**
 * Returns the energy of a register across a rollover in mWh; null if the register did not roll over. In a rollover the value falls from
 * above 90 % of the register's maximum to below 10 % of the maximum, and the energy is plausible. If a value exceeds the maximum in the
 * settings, the setting is wrong, and the register counts as not rolled over.
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

/** Whether the register was reset to zero: its value is below 10 % of the previous value, and reachable from zero in the elapsed time. */
export function isRegisterReset(a: RegisterValue, b: RegisterValue, settings: CountingSettings): boolean {
  return (
    b.valueMilliwattHours * 10 < a.valueMilliwattHours &&
    isPlausible({ readAtMs: a.readAtMs, valueMilliwattHours: castToMilliwattHours(0) }, b, settings)
  );
}
