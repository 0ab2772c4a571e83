import { celsius, type Hearing } from '../read/heard.ts';
import { readNumber } from '../read/number.ts';
import { asObject, type Json, member } from '../read/payload.ts';

const CHANNEL = 'room';
/** The target by which the valve is told to be off: no wish for 4 °C. */
const OFF_C = 4;
/** What a sensor says that could not measure. */
const NO_TEMPERATURE = 999;

/** Reads the radiator's valve (TRV) in `info`, where all that it measures is. */
export function readValve(heard: Hearing, device: string, info: Json): void {
  const thermostats = member(info, 'thermostats');
  if (thermostats === undefined || thermostats === null) return;
  const first: unknown = Array.isArray(thermostats) ? thermostats[0] : thermostats;
  const valve = Array.isArray(thermostats) ? asObject(first) : null;
  if (valve) readThermostat(heard, device, valve);
  else if (first !== undefined) heard.refuse('thermostats is not a list of objects');
}

function readThermostat(heard: Hearing, device: string, valve: Json): void {
  const measured = partOf(heard, valve, 'tmp');
  if (measured && member(measured, 'is_valid') !== false) {
    const value = inCelsius(heard, measured, 'tmp');
    heard.add({ device, channel: CHANNEL, kind: 'temperature_c', value, name: 'tmp.value' });
  }
  const target = partOf(heard, valve, 'target_t');
  if (target) {
    const value = inCelsius(heard, target, 'target_t');
    const off = typeof value === 'number' && Math.abs(value - OFF_C) < 0.01;
    if (!off) heard.add({ device, channel: CHANNEL, kind: 'setpoint_c', value, name: 'target_t.value' });
  }
  const position = readNumber(member(valve, 'pos'));
  if (position === undefined) heard.refuse('pos is not a number');
  // -1: the valve was never calibrated.
  else if (position !== null && position >= 0) {
    heard.addState({ device, channel: CHANNEL, kind: 'heating', value: position > 0, name: 'pos' });
  }
}

/** A temperature as text of a topic or member of `info` in C; null: no reading. */
export const temperatureOf = (value: unknown, unit: 'C' | 'F'): unknown => {
  const read = readNumber(value);
  return read === NO_TEMPERATURE ? null : celsius(read === undefined ? value : read, unit);
};

/** A member that is an object; null where it is missing, or refused. */
function partOf(heard: Hearing, valve: Json, name: string): Json | null {
  const value = member(valve, name);
  const part = asObject(value);
  if (!part && value !== undefined && value !== null) heard.refuse(`${name} is not an object`);
  return part;
}

/** The unit stands beside the value; devices are set to C unless they say F. */
function inCelsius(heard: Hearing, part: Json, name: string): unknown {
  const units = member(part, 'units') ?? 'C';
  if (units === 'C' || units === 'F') return temperatureOf(member(part, 'value'), units);
  heard.refuse(`${name}.units is neither C nor F`);
  return null;
}
