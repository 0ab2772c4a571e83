import type { SolarHome } from '../home-clock.ts';
import type { SolarFlow } from '../solar.ts';
import { type MeterReading, registerReading } from './native-meter.ts';

/** What each device of a solar home counts, and the channel that it tells it on: of what flows out of it, `export`. */
export const SOLAR_REGISTERS = {
  smart_meter: [['gridImport'], ['gridExport', 'export']],
  inverter: [['production', 'export']],
  battery: [['charged'], ['discharged', 'export']],
} as const satisfies Record<string, readonly (readonly [SolarFlow, 'export'?])[]>;

/** A device that tells something of what flows in a solar home. */
export type SolarDevice = keyof typeof SOLAR_REGISTERS;

/** What a device of the home shows at one time: an element for each of its registers. */
export function solarReadings(home: SolarHome, device: SolarDevice, atMs: number, withPower: boolean): MeterReading[] {
  const state = home.at(atMs);
  return SOLAR_REGISTERS[device].map(([flow, channel]) => registerReading(state[flow], atMs, withPower, channel));
}
