import { readNumber } from '../read/number.ts';
import { type Json, member } from '../read/payload.ts';
import { block, type Source } from './source.ts';

/**
 * Reads `Thermostat0`, `Thermostat1` …: the target, in Celsius whatever `TempUnit` says, and whether it heats, which it
 * does while its duty cycle is above 0 %. What it measures is in the sensor's own block.
 */
export function readThermostats(source: Source, body: Json): void {
  const { heard, device, atMs } = source;
  for (const [name, value] of Object.entries(body)) {
    const [, index] = /^Thermostat(\d{1,2})$/.exec(name) ?? [];
    const thermostat = index === undefined ? null : block(source, value, name);
    if (!thermostat) continue;
    const channel = Number(index) === 0 ? 'room' : `room/thermostat${Number(index)}`;
    const target = member(thermostat, 'TempTargetSet');
    heard.add({ device, channel, kind: 'setpoint_c', value: target, atMs, name: `${name}.TempTargetSet` });
    const duty = readNumber(member(thermostat, 'CtrDutyCycleRead'));
    const label = `${name}.CtrDutyCycleRead`;
    if (duty === null) continue;
    if (duty === undefined || duty < 0 || duty > 100) heard.refuse(`${label} is no percentage`);
    else heard.addState({ device, channel, kind: 'heating', value: duty > 0, atMs, name: label });
  }
}
