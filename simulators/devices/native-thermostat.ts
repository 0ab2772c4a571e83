import type { ThermostatState } from '../climate.ts';
import type { SimulatedHome } from '../home-clock.ts';
import { listCadenceTimes } from './native-meter.ts';

/** One element of a thermostat's message on the topic `energy/v1/{device_id}/readings`. */
interface ThermostatReading {
  ts: string;
  temperature_c: number;
  setpoint_c: number;
  heating: boolean;
}

/** Returns the reading of the home's thermostat at one time. */
export function createThermostatReading(home: SimulatedHome, atMs: number): ThermostatReading {
  return createRoomReading(home.at(atMs).room, atMs);
}

/** Returns the reading of a room at one time. */
export function createRoomReading(room: ThermostatState, atMs: number): ThermostatReading {
  return {
    ts: new Date(atMs).toISOString(),
    temperature_c: Math.round(room.temperatureC * 10) / 10,
    setpoint_c: room.setpointC,
    heating: room.heating,
  };
}

/** Yields a reading at each whole multiple of the cadence in [from, to]. */
export function* generateThermostatReadings(
  home: SimulatedHome,
  fromMs: number,
  toMs: number,
  cadenceSeconds: number,
): Generator<ThermostatReading> {
  for (const atMs of listCadenceTimes(fromMs, toMs, cadenceSeconds)) yield createThermostatReading(home, atMs);
}
