import type { SimulatedHome } from '../home-clock.ts';

const MILLIWATT_HOURS = { Wh: 1_000, kWh: 1_000_000 };

/** The home's register in mWh; zero for times before its meter was installed. */
export function registerAt(home: SimulatedHome, atMs: number): number {
  return home.at(Math.max(atMs, home.installedAtMs)).registerMilliwattHours;
}

/**
 * mWh as a device writes them: in its unit, rounded down to its last decimal. Real counters count whole steps too, and so
 * what is written is never ahead of the home and less than one step behind it.
 */
export function registerText(milliwattHours: number, unit: 'Wh' | 'kWh', decimals: number): string {
  const step = MILLIWATT_HOURS[unit] / 10 ** decimals;
  return ((Math.floor(milliwattHours / step) * step) / MILLIWATT_HOURS[unit]).toFixed(decimals);
}
