export const MILLIWATT_HOURS_PER_KWH = 1_000_000;
export const MINUTE_MS = 60_000;
/** Length of a quarter-hour, the resolution of load profiles and prices. */
export const QUARTER_HOUR_MS = 900_000;
export const HOUR_MS = 3_600_000;
/** Length of 24 hours in ms. In UTC, every day has this length. */
export const DAY_MS = 86_400_000;

declare const unit: unique symbol;
/** Energy in whole mWh. The branded type prevents a number in another unit from being passed by mistake. */
export type MilliwattHours = number & { readonly [unit]: 'mWh' };

/** Casts a number to mWh without a check, for results of arithmetic and stored values. */
export const castToMilliwattHours = (value: number): MilliwattHours => value as MilliwattHours;

/** Converts kWh, as a device sends them, to whole mWh. */
export function kwhToMilliwattHours(kwh: number): MilliwattHours {
  return castToMilliwattHours(scaleAndRound(kwh, 6));
}

/**
 * Returns a finite number times 10^`places` as an integer, halves away from zero. The number's shortest decimal form counts: 1.0005 is
 * rounded up to three places, although its binary value is slightly lower.
 */
export function scaleAndRound(value: number, places: number): number {
  const product = Math.abs(value) * 10 ** places;
  const whole = Math.floor(product);
  const fraction = product - whole;
  // If the fraction is close to 0.5, the decimal digits of `value` decide, because rounding errors may have changed the product.
  const rounded =
    Math.abs(fraction - 0.5) > product * 2 ** -51 ? whole + (fraction > 0.5 ? 1 : 0) : byDigits(value, places);
  return value < 0 && rounded !== 0 ? -rounded : rounded;
}

/** Returns the result of `scaleAndRound` for a positive number, from its decimal digits. */
function byDigits(value: number, places: number): number {
  const { digits, exponent } = decimalOf(Math.abs(value));
  const shift = exponent + places;
  if (shift >= 0) return Number(digits * 10n ** BigInt(shift));
  const divisor = 10n ** BigInt(-shift);
  return Number((2n * digits + divisor) / (2n * divisor));
}

/**
 * Returns a finite number times `times` divided by `per`, for example to convert kW to W. For powers of ten, the number's shortest decimal
 * form counts: 1.005 kW are 1005 W.
 */
export function scaleDecimal(value: number, times: number, per: number): number {
  if (times === 1 && per === 1) return value;
  const shift = Math.round(Math.log10(per));
  if (!Number.isSafeInteger(times) || 10 ** shift !== per) return (value * times) / per;
  const { digits, exponent } = decimalOf(value);
  return Number(`${digits * BigInt(times)}e${exponent - shift}`);
}

/** Returns the shortest decimal for a double: digits × 10^exponent. */
function decimalOf(value: number): { digits: bigint; exponent: number } {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  return { digits: BigInt(`${sign}${whole}${fraction}`), exponent: Number(exponent) - fraction.length };
}

/** Formats mWh as exact kWh with all six decimals: `12.482000`. */
export function formatExactKwh(energy: MilliwattHours): string {
  const digits = String(Math.abs(energy)).padStart(7, '0');
  return `${energy < 0 ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

/** Converts mWh to kWh for responses, with at most 3 decimals, halves away from zero. */
export function milliwattHoursToKwh(energy: MilliwattHours): number {
  return (Math.sign(energy) * Math.floor((Math.abs(energy) + 500) / 1000)) / 1000;
}
