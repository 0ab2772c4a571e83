import { castToMilliwattHours, HOUR_MS, type MilliwattHours } from '#src/core/units.ts';
import type { CountingSettings } from './counting-rule.ts';

const KWH = 1_000_000;
/** Mean power that is plausible in any home: 20 kW, in mW. */
const USUAL_MW = 20_000_000;
/** Finest resolution that is assumed for a register: 0.001 kWh, in mWh. */
const FINEST_MILLIWATT_HOURS = 1_000;

/** The value of a register at a time. */
export interface RegisterValue {
  readAtMs: number;
  valueMilliwattHours: MilliwattHours;
  isByHand?: true;
}

/** Returns one unit in the last decimal place of a register value as the device sent it, in mWh. At most 1 kWh. */
function lastPlaceMilliwattHours(valueMilliwattHours: MilliwattHours): number {
  let unit = 1;
  while (unit < KWH && valueMilliwattHours % (unit * 10) === 0) unit *= 10;
  return unit;
}

/**
 * Whether a register can have changed from `a` to `b`: it did not decrease, and did not rise faster than the device's limit. The tolerance
 * is one unit in the last decimal place of the more precise value.
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

/** Whether an energy is at most a power times a duration. The comparison is exact beyond 2^53. */
function isAtMost(energyMilliwattHours: number, powerMw: number, durationMs: number): boolean {
  const [left, right] = [energyMilliwattHours * HOUR_MS, powerMw * durationMs];
  if (Number.isSafeInteger(left) && Number.isSafeInteger(right)) return left <= right;
  return BigInt(energyMilliwattHours) * BigInt(HOUR_MS) <= BigInt(powerMw) * BigInt(durationMs);
}

/**
 * Whether a home can have used the energy between `a` and `b` at constant power: at most a fifth of the device's limit, or 20 kW if this is
 * more. Used for a register that rose suddenly because its source reported late: its energy is spread over the time from `a` to `b`.
 */
export function isPlausibleConstantPower(a: RegisterValue, b: RegisterValue, { limitKw }: CountingSettings): boolean {
  const [step, durationMs] = [b.valueMilliwattHours - a.valueMilliwattHours, b.readAtMs - a.readAtMs];
  return isAtMost(step, USUAL_MW, durationMs) || isAtMost(5 * step, Math.round(limitKw * KWH), durationMs);
}

/**
 * Whether the register decreased slightly, by at most 1 % and 0.1 kWh. Some registers lose the digits after the decimal point at a restart.
 */
export function isRegisterJitter(a: RegisterValue, b: RegisterValue): boolean {
  const drop = a.valueMilliwattHours - b.valueMilliwattHours;
  return drop > 0 && drop <= KWH / 10 && drop * 100 <= a.valueMilliwattHours;
}

/**
 * Returns the energy in mWh of a register that rolled over between two values; null if it did not. In a rollover, the value falls from
 * above 90 % of the register's maximum to below 10 %, and the energy is plausible. If a value exceeds the maximum in the settings, the
 * setting is wrong, and the result is null.
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

/**
 * Whether the register was reset to zero. After a reset, the value is below 10 % of the previous value, and the register can have risen to
 * it from zero in the elapsed time.
 */
export function isRegisterReset(a: RegisterValue, b: RegisterValue, settings: CountingSettings): boolean {
  return (
    b.valueMilliwattHours * 10 < a.valueMilliwattHours &&
    isPlausibleRegisterChange({ readAtMs: a.readAtMs, valueMilliwattHours: castToMilliwattHours(0) }, b, settings)
  );
}
