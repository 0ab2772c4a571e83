import type { Commodity } from '#src/database/meter.ts';
import type { Hearing } from '../read/heard.ts';
import { type Json, member } from '../read/payload.ts';
import { volumeChannel, volumeScale } from '../read/volume.ts';
import type { State, Volume } from './state.ts';

const ATTRIBUTES = new Map<unknown, Commodity>([
  ['gas', 'gas'],
  ['water_consumed', 'water'],
]);

/**
 * Returns the volume that an attribute in `bridge/devices` counts; null if it is no lifetime total. The announcement must name it a total,
 * because units differ (`water_consumed` is in L or m³), `gas` is an alarm at other devices, and the water of valves is that of the last
 * watering.
 */
export function volumeOf(exposed: Json | null): Volume | null {
  const of = ATTRIBUTES.get(member(exposed, 'property'));
  if (of === undefined) return null;
  const unit = member(exposed, 'unit');
  const scale = typeof unit === 'string' ? volumeScale(unit) : undefined;
  const text = String(member(exposed, 'description') ?? '').slice(0, 500);
  const isTotal = /\b(?:total|cumulative)\b/i.test(text) && !/\b(?:last|dai?ly|month(?:ly)?|today)\b/i.test(text);
  return scale && isTotal ? { of, scale } : null;
}

/** Adds the volumes that the bridge has announced. */
export function hearVolumes(heard: Hearing, { device, attributes, atMs, volumes }: State): void {
  for (const [name, { of, scale }] of volumes) {
    const value = member(attributes, name);
    heard.add({ device, channel: volumeChannel(of), kind: 'volume_total_m3', value, ...scale, atMs, name });
  }
}
