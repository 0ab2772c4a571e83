import { parseShellyGen2Topic } from '../shelly-gen2/topic.ts';

const ROOT = 'shellies/';
/** `emeter/0/total`; a Shelly 2 has one meter for both relays, and no number: `relay/power`. */
const METER = /^(.+)\/(relay|roller|light|color|white|emeter)\/(?:(\d{1,2})\/)?(power|energy|total|total_returned)$/;
const LEAF = /^(.+)\/(online|info|sensor\/temperature)$/;
/** Named by their model; of the others' `info` nothing is read. */
const NAMED = /^shelly/;
const SENSOR = /^shelly(ht|flood|dw2?|smoke|sense|motionsensor|motion2)-/;

/** What is on a topic of a Shelly Gen1; `device` is its id, which owners may change, even to one with slashes. */
export type ShellyGen1Topic =
  | { leaf: 'online' | 'info' | 'sensor/temperature'; device: string }
  | { leaf: 'meter'; device: string; part: string; index: string; quantity: string }
  | { leaf: 'other' };

/** Reads a topic below `shellies/`; null where it is somebody else's, or in the shape of Gen2. */
export function parseShellyGen1Topic(topic: string): ShellyGen1Topic | null {
  if (!topic.startsWith(ROOT)) return null;
  const gen2 = parseShellyGen2Topic(topic);
  if (gen2 && gen2.leaf !== 'online') return null;
  const rest = topic.slice(ROOT.length);
  const [, device, part, index = '', quantity] = METER.exec(rest) ?? [];
  if (device && part && quantity && (index !== '' || part === 'relay')) {
    return { leaf: 'meter', device, part, index: index && String(Number(index)), quantity };
  }
  const [, owner, leaf] = LEAF.exec(rest) ?? [];
  return owner && leaf ? ({ leaf, device: owner } as ShellyGen1Topic) : { leaf: 'other' };
}

/** Whether the `info` of a device can be of a sensor, whose unit of temperature is nowhere else. */
export const mayBeSensor = (device: string): boolean => !NAMED.test(device) || SENSOR.test(device);
