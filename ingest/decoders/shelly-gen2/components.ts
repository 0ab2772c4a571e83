import type { Hearing } from '../read/heard.ts';
import { asObject, type Json } from '../read/payload.ts';
import { readTemperature, readThermostat, readValve } from './climate.ts';
import {
  readChannelEnergy,
  readChannelPower,
  readMetered,
  readThreePhaseEnergy,
  readThreePhasePower,
} from './metering.ts';
import type { ReadPart } from './part.ts';
import { type Component, parseComponent } from './topic.ts';

/** Types of components that say something. `-` where a type ends with a digit: `pm1:0` must not be `pm:10`. */
const READERS = new Map<string, ReadPart>([
  ...['switch', 'cover', 'light', 'rgb', 'rgbw', 'cct', 'rgbcct'].map((type) => [type, readMetered(type)] as const),
  ['pm1', readMetered('pm1-')],
  ['em', readThreePhasePower],
  ['emdata', readThreePhaseEnergy],
  ['em1', readChannelPower],
  ['em1data', readChannelEnergy],
  ['temperature', readTemperature],
  ['thermostat', readThermostat],
  ['blutrv', readValve],
]);

/** Whether anything is read out of components of a type. */
export const isRead = ({ type }: Component): boolean => READERS.has(type);

/** Reads one component; one that is null is gone. */
export function readComponent(
  heard: Hearing,
  component: Component,
  said: { device: string; value: unknown; atMs: number | null },
): void {
  const read = READERS.get(component.type);
  if (!read || said.value === null || said.value === undefined) return;
  const name = `${component.type}:${component.id}`;
  const status = asObject(said.value);
  if (status) read(heard, { device: said.device, name, id: component.id, status, atMs: said.atMs });
  else heard.refuse(`${name} is not an object`);
}

/** Reads all components of a status; what is no component with a number (`sys`, `wifi`) says nothing. */
export function readComponents(
  heard: Hearing,
  status: Json,
  { device, atMs }: { device: string; atMs: number | null },
): void {
  for (const [name, value] of Object.entries(status)) {
    const component = parseComponent(name);
    if (component) readComponent(heard, component, { device, value, atMs });
  }
}
