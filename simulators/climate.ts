import { DAY_MS } from '#src/core/units.ts';
import { type DayHabits, isResidentActive } from './appliances.ts';
import { createSeededRandom } from './random.ts';

const HYSTERESIS_C = 0.3;
/** Hours after which the difference between the indoor and the outdoor temperature of an unheated home has fallen by about two thirds. */
const COOLING_HOURS = 55;
/** Temperature rise while the heating runs, in °C per hour. */
const HEATING_C_PER_HOUR = 1.6;

/** State of a home's thermostat in one minute. */
export interface ThermostatState {
  temperatureC: number;
  setpointC: number;
  heating: boolean;
}

/** Returns the simulated outdoor temperature in °C in the northern middle latitudes. It is lowest in mid-January and before dawn. */
export function computeOutdoorCelsius(seed: string, dayMs: number, minuteOfDay: number): number {
  const weather = (day: number) => createSeededRandom(seed, day, 'weather').between(-4, 4);
  const share = minuteOfDay / 1440;
  const day = Math.floor(dayMs / DAY_MS);
  const season = -10 * Math.cos((2 * Math.PI * (dayOfYear(dayMs) - 15)) / 365);
  return (
    10 + season - 4 * Math.cos(2 * Math.PI * (share - 0.15)) + weather(day) * (1 - share) + weather(day + 1) * share
  );
}

/** Returns the set-point of the heating in °C. It is lower at night, and slightly lower while no resident is at home. */
export function computeSetpointCelsius(habits: DayHabits, minuteOfDay: number, comfortC: number): number {
  if (isResidentActive(habits, minuteOfDay)) return comfortC;
  return minuteOfDay < habits.wakesAtMinute || minuteOfDay >= habits.sleepsAtMinute ? comfortC - 3 : comfortC - 2;
}

/** Returns the state of a room one minute later. The heating starts and stops at two thresholds around the set-point. */
export function computeNextThermostatState(room: ThermostatState, outsideC: number, wantedC: number): ThermostatState {
  const heating = room.temperatureC < wantedC - (room.heating ? -HYSTERESIS_C : HYSTERESIS_C);
  const change = (outsideC + 2 - room.temperatureC) / COOLING_HOURS + (heating ? HEATING_C_PER_HOUR : 0);
  return { temperatureC: room.temperatureC + change / 60, setpointC: wantedC, heating };
}

function dayOfYear(dayMs: number): number {
  return (dayMs - Date.UTC(new Date(dayMs).getUTCFullYear(), 0, 1)) / DAY_MS;
}
