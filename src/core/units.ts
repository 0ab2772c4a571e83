export const MILLIWATT_HOURS_PER_KWH = 1_000_000;

declare const unit: unique symbol;
/** Energy in whole mWh, the unit of everything stored. Branded, so that kWh, mW or ms cannot be passed in its place. */
export type MilliwattHours = number & { readonly [unit]: 'mWh' };

/** Marks a number as mWh: the result of arithmetic, or a stored value. Checks nothing. */
export const asMilliwattHours = (value: number): MilliwattHours => value as MilliwattHours;

/** kWh as sent by a device to whole mWh, the unit of everything stored. */
export function kwhToMilliwattHours(kwh: number): MilliwattHours {
  return asMilliwattHours(wholeUnits(kwh, 6));
}

/**
 * A finite number times 10^`places` as a whole number, halves away from zero (the law's rounding). The number is taken as the decimal
 * that was sent, the shortest that reads as this double: 1.0005 has three places and a half, though the double is below it.
 */
export function wholeUnits(value: number, places: number): number {
  const product = Math.abs(value) * 10 ** places;
  const whole = Math.floor(product);
  const fraction = product - whole;
  // The double and the product are off by half a unit in their last place each. Nearer than that to a half digits decide.
  const rounded =
    Math.abs(fraction - 0.5) > product * 2 ** -51 ? whole + (fraction > 0.5 ? 1 : 0) : byDigits(value, places);
  return value < 0 && rounded !== 0 ? -rounded : rounded;
}

/** The same of a number without its sign, by its decimal digits. */
function byDigits(value: number, places: number): number {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  const shift = Number(exponent) - fraction.length + places;
  const digits = BigInt(whole + fraction);
  if (shift >= 0) return Number(digits * 10n ** BigInt(shift));
  const divisor = 10n ** BigInt(-shift);
  return Number((2n * digits + divisor) / (2n * divisor));
}

/** mWh to kWh with at most 3 decimals, halves away from zero: what answers show. */
export function milliwattHoursToKwh(energy: MilliwattHours): number {
  return (Math.sign(energy) * Math.floor((Math.abs(energy) + 500) / 1000)) / 1000;
}
