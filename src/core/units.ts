export const MILLIWATT_HOURS_PER_KWH = 1_000_000;

declare const unit: unique symbol;
/** Energy in whole mWh, the unit of everything stored. Branded, so that kWh, mW or ms cannot be passed in its place. */
export type MilliwattHours = number & { readonly [unit]: 'mWh' };

/** Marks a number as mWh: the result of arithmetic, or a stored value. Checks nothing. */
export const asMilliwattHours = (value: number): MilliwattHours => value as MilliwattHours;

/** kWh as sent by a device to whole mWh, the unit of everything stored. */
export function kwhToMilliwattHours(kwh: number): MilliwattHours {
  return asMilliwattHours(Math.round(kwh * MILLIWATT_HOURS_PER_KWH));
}

/** mWh to kWh with at most 3 decimals, halves away from zero: what answers show. */
export function milliwattHoursToKwh(energy: MilliwattHours): number {
  return (Math.sign(energy) * Math.floor((Math.abs(energy) + 500) / 1000)) / 1000;
}
