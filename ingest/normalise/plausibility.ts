import type { LawSettings } from './law.ts';

const HOUR_MS = 3_600_000;
const KWH = 1_000_000;
/** Least resolution of a register: 0.001 kWh, in mWh. */
const FINEST_MWH = 1_000;

/** A register at a time: what plausibility is decided on. */
export interface RegisterValue {
  readAtMs: number;
  valueMwh: number;
}

/** One unit in the last decimal place of a register value as it was sent, in mWh; at most 1 kWh. */
function lastPlaceMwh(valueMwh: number): number {
  let unit = 1;
  while (unit < KWH && valueMwh % (unit * 10) === 0) unit *= 10;
  return unit;
}

/**
 * Whether the register can have moved from `a` to `b`: not backwards, and no faster than the device's limit, give or
 * take one unit of the finer of the two values.
 */
export function isPlausible(a: RegisterValue, b: RegisterValue, settings: LawSettings): boolean {
  const step = b.valueMwh - a.valueMwh;
  if (step < 0) return false;
  const resolution = Math.max(FINEST_MWH, Math.min(lastPlaceMwh(a.valueMwh), lastPlaceMwh(b.valueMwh)));
  const limitMw = Math.round(settings.limitKw * KWH);
  const [left, right] = [(step - resolution) * HOUR_MS, limitMw * (b.readAtMs - a.readAtMs)];
  if (Number.isSafeInteger(left) && Number.isSafeInteger(right)) return left <= right;
  return BigInt(step - resolution) * BigInt(HOUR_MS) <= BigInt(limitMw) * BigInt(b.readAtMs - a.readAtMs);
}

/** A small step back (at most 1 % and 0.1 kWh): registers that lose their fraction at a reboot. */
export function isJitter(a: RegisterValue, b: RegisterValue): boolean {
  const drop = a.valueMwh - b.valueMwh;
  return drop > 0 && drop <= KWH / 10 && drop * 100 <= a.valueMwh;
}

/**
 * Past its maximum: fell from above 90 % of the register's maximum to below 10 % of it. A register that stood above the
 * maximum has another one than its settings say, and did not roll over.
 */
export function isRollover(a: RegisterValue, b: RegisterValue, settings: LawSettings): boolean {
  if (settings.registerMaxKwh === null) return false;
  const maximum = Math.round(settings.registerMaxKwh * KWH);
  return a.valueMwh <= maximum && a.valueMwh * 10 > maximum * 9 && b.valueMwh * 10 < maximum;
}

/** Back to zero: under 10 % of the old value, and reachable from zero in the time since. */
export function isReset(a: RegisterValue, b: RegisterValue, settings: LawSettings): boolean {
  return b.valueMwh * 10 < a.valueMwh && isPlausible({ readAtMs: a.readAtMs, valueMwh: 0 }, b, settings);
}
