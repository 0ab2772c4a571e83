import type { DeviceMessage } from '../family.ts';
import { asObject, member, readObject } from '../read/payload.ts';
import { isNewPrefix, learnPrefix, namesPrefix, type Prefixes } from '../shelly-gen2/prefixes.ts';
import { mayBeSensor, parseShellyGen1Topic } from './topic.ts';

/** What must be known of devices beside the message. */
export interface Gen1Memory {
  /** In which unit a sensor tells its temperature: it is set in the device, and only its `info` says so. */
  unitOf: Map<string, 'C' | 'F'>;
  /** Prefixes of Gen2 devices, which may be below `shellies/`, too. */
  gen2: Prefixes;
}

export const newGen1Memory = (): Gen1Memory => ({ unitOf: new Map(), gen2: new Map() });

/** Whether a message says something that later ones cannot be read without. */
export function remembersGen1(topic: string): boolean {
  const parsed = parseShellyGen1Topic(topic);
  if (parsed?.leaf === 'info') return mayBeSensor(parsed.device);
  return topic.startsWith('shellies/') && namesPrefix(topic);
}

/** Whether it says a unit, or a prefix, that is not known. */
export function isNewToGen1(memory: Gen1Memory, message: DeviceMessage): boolean {
  const parsed = parseShellyGen1Topic(message.topic);
  if (parsed?.leaf !== 'info') return isNewPrefix(memory.gen2, message);
  const unit = unitIn(message);
  return unit !== null && memory.unitOf.get(parsed.device) !== unit;
}

/** The unit of temperature in a device's `info`. */
function unitIn({ payload }: DeviceMessage): 'C' | 'F' | null {
  const unit = member(asObject(member(readObject(payload), 'tmp')), 'units');
  return unit === 'C' || unit === 'F' ? unit : null;
}

/** Learns the unit of a sensor, or that a name below `shellies/` is a Gen2 device's. */
export function learnGen1(memory: Gen1Memory, message: DeviceMessage): void {
  const parsed = parseShellyGen1Topic(message.topic);
  if (parsed?.leaf !== 'info') {
    learnPrefix(memory.gen2, message);
    return;
  }
  const unit = unitIn(message);
  if (unit !== null) memory.unitOf.set(parsed.device, unit);
}
