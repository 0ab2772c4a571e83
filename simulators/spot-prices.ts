import { DAY_MS, HOUR_MS } from '#src/core/units.ts';
import { createSeededRandom } from './random.ts';

/** Prices of a day divided by their mean, by the hour of Central European winter time (UTC + 1). */
const SHAPE = [
  0.8, 0.75, 0.7, 0.7, 0.75, 0.9, 1.15, 1.35, 1.3, 1.05, 0.85, 0.7, 0.6, 0.6, 0.7, 0.9, 1.15, 1.45, 1.6, 1.5, 1.25, 1.1,
  0.95, 0.85,
];
/** Mean price in EUR per kWh. */
const MEAN = 0.1;

/**
 * Returns the simulated wholesale price of an hour in EUR per kWh, with four decimals. Prices are low on windy days, and negative on a few
 * days.
 */
export function simulateSpotPrice(hourMs: number): number {
  const localMs = hourMs + HOUR_MS;
  const day = Math.floor(localMs / DAY_MS);
  const wind = createSeededRandom('spot prices', day).between(-0.5, 1.4);
  const level = 0.75 + 0.35 * wind + 0.25 * Math.cos((2 * Math.PI * (day + 10)) / 365.25);
  const shape = SHAPE[Math.floor((localMs % DAY_MS) / HOUR_MS)] as number;
  const noise = createSeededRandom('spot prices', hourMs).between(-0.08, 0.08);
  return Math.round(MEAN * (level * shape - 0.22 + noise) * 1e4) / 1e4;
}
