import { defined } from '#src/core/defined.ts';
import type { SimulatedHome } from '../home-clock.ts';

/** One element of a message on `energy/v1/{device_id}/readings` from a meter. */
export interface MeterReading {
  ts: string;
  energy_total_kwh: number;
  power_w?: number;
}

/** The topic that a native device publishes its readings on. */
export function readingsTopic(deviceId: string): string {
  return `energy/v1/${deviceId}/readings`;
}

/** What the home's meter shows at one time; the register counts whole watt-hours, as real meters do. */
export function meterReading(home: SimulatedHome, atMs: number, withPower: boolean): MeterReading {
  const state = home.at(atMs);
  return {
    ts: new Date(atMs).toISOString(),
    energy_total_kwh: Math.floor(state.registerMilliwattHours / 1000) / 1000,
    ...defined({ power_w: withPower ? state.powerW : undefined }),
  };
}

/** Register readings at every whole multiple of the cadence in [from, to]. */
export function* meterHistory(
  home: SimulatedHome,
  fromMs: number,
  toMs: number,
  cadenceSeconds: number,
): Generator<MeterReading> {
  const stepMs = cadenceSeconds * 1000;
  for (let atMs = Math.ceil(fromMs / stepMs) * stepMs; atMs <= toMs; atMs += stepMs) {
    yield meterReading(home, atMs, false);
  }
}
