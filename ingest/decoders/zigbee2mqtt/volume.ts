import type { Commodity } from '#src/database/meter.ts';
import { getMember, type Json } from '../read/payload.ts';
import type { ValueCollector } from '../read/value-collector.ts';
import { findVolumeScale, getVolumeChannel } from '../read/volume.ts';
import type { VolumeAttribute, ZigbeeDeviceState } from './state.ts';

const ATTRIBUTES = new Map<unknown, Commodity>([
  ['gas', 'gas'],
  ['water_consumed', 'water'],
]);

/**
 * Returns the commodity and scale of an attribute in `bridge/devices`; null if the attribute is not the lifetime total of a volume. The
 * announcement must call the attribute a total, because name and unit are ambiguous: `water_consumed` is in L or m³, `gas` can be an alarm,
 * and valves report the water of the last watering.
 */
export function parseVolumeAttribute(exposed: Json | null): VolumeAttribute | null {
  const of = ATTRIBUTES.get(getMember(exposed, 'property'));
  if (of === undefined) return null;
  const unit = getMember(exposed, 'unit');
  const scale = typeof unit === 'string' ? findVolumeScale(unit) : undefined;
  const text = String(getMember(exposed, 'description') ?? '').slice(0, 500);
  const isTotal = /\b(?:total|cumulative)\b/i.test(text) && !/\b(?:last|dai?ly|month(?:ly)?|today)\b/i.test(text);
  return scale && isTotal ? { of, scale } : null;
}

/** Adds the values of the volumes that the bridge has announced. */
export function addVolumes(collector: ValueCollector, { device, attributes, atMs, volumes }: ZigbeeDeviceState): void {
  for (const [name, { of, scale }] of volumes) {
    const value = getMember(attributes, name);
    collector.add({ device, channel: getVolumeChannel(of), kind: 'volume_total_m3', value, ...scale, atMs, name });
  }
}
