export const MILLIWATT_HOURS_PER_KWH = 1_000_000;

/** kWh as sent by a device to whole mWh, the unit of everything stored. */
export function kwhToMilliwattHours(kwh: number): number {
  return Math.round(kwh * MILLIWATT_HOURS_PER_KWH);
}

/** mWh to kWh with at most 3 decimals, halves away from zero: what answers show. */
export function milliwattHoursToKwh(mwh: number | bigint): number {
  const whole = Number(mwh);
  return (Math.sign(whole) * Math.floor((Math.abs(whole) + 500) / 1000)) / 1000;
}
