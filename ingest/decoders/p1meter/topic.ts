import { FIELDS } from './fields.ts';

/** A root that names a P1 meter: `sensors/power/p1meter`, `house/p1`. */
const NAMES_P1 = /(^|[^a-z0-9])p1([^a-z0-9]|meter|$)/i;

export interface P1MeterTopic {
  /** What stands before the field: the sketch has no other name. */
  device: string;
  field: string;
}

/**
 * Reads `{root}/{field}`. The root is a constant of the sketch, which people change: fields that are spelt as nobody else does are known
 * below any root, the others below one that names a P1 meter. Null for every other topic.
 */
export function parseTopic(topic: string): P1MeterTopic | null {
  const at = topic.lastIndexOf('/');
  const device = topic.slice(0, Math.max(at, 0));
  const field = topic.slice(at + 1);
  const found = device === '' ? undefined : FIELDS.get(field);
  return found && (found.isDistinct || NAMES_P1.test(device.slice(device.lastIndexOf('/') + 1)))
    ? { device, field }
    : null;
}
