import type { Hearing } from '../read/heard.ts';
import { readNumber } from '../read/number.ts';
import { member } from '../read/payload.ts';
import type { State } from './state.ts';

const CHANNEL = 'room';
/** The better first: of two that a device has, one is read, so that they cannot contradict each other. */
const TEMPERATURES = ['local_temperature', 'temperature'];
const SETPOINTS = ['occupied_heating_setpoint', 'current_heating_setpoint'];
const HEATINGS = ['running_state', 'pi_heating_demand', 'position'];
/** What a thermostat does now; fans and cooling are not heating. */
const RUNNING = new Map<unknown, boolean>([
  ['heat', true],
  ['idle', false],
  ['cool', false],
  ['fan_only', false],
]);

/** Reads room temperature, setpoint and heating of thermostats, valves and sensors. */
export function hearClimate(heard: Hearing, state: State): void {
  const { device, attributes, atMs } = state;
  // One that is null has no value, and does not hide the other.
  const best = (names: readonly string[]) => names.find((name) => state.has(name) && member(attributes, name) !== null);
  const temperature = best(TEMPERATURES);
  const setpoint = best(SETPOINTS);
  const add = (kind: 'temperature_c' | 'setpoint_c', name: string | undefined) => {
    if (name) heard.add({ device, channel: CHANNEL, kind, value: member(attributes, name), atMs, name });
  };
  add('temperature_c', temperature);
  add('setpoint_c', setpoint);
  const heating = best(HEATINGS);
  // Blinds have a position, too.
  if (heating === 'position' && !setpoint && !state.has('local_temperature')) return;
  if (heating) hearHeating(heard, state, heating);
}

function hearHeating(heard: Hearing, { device, attributes, atMs }: State, name: string): void {
  const value = member(attributes, name);
  if (name === 'running_state') {
    heard.addState({ device, channel: CHANNEL, kind: 'heating', value: RUNNING.get(value) ?? value, atMs, name });
    return;
  }
  const percent = readNumber(value);
  if (percent === null) return;
  if (percent === undefined || percent < 0) heard.refuse(`${name} is no percentage`);
  else heard.addState({ device, channel: CHANNEL, kind: 'heating', value: percent > 0, atMs, name });
}
