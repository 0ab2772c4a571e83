import type { Commodity } from '#src/database/meter.ts';
import type { Json } from '../read/payload.ts';
import type { VolumeScale } from '../read/volume.ts';

/** Commodity and scale of a volume, as its attribute is announced. */
export interface AnnouncedVolume {
  of: Commodity;
  scale: VolumeScale;
}

/** Attributes that a device publishes: all of them in one object, or a single one. */
export interface ZigbeeDeviceState {
  device: string;
  attributes: Json;
  /** Time of the last radio frame in Unix ms; null if the time of receipt applies. */
  atMs: number | null;
  /** Whether the device has an attribute, in this message or in the announcement of its bridge. */
  has(attribute: string): boolean;
  /** Volumes that the bridge has announced for the device, by attribute. */
  volumes: ReadonlyMap<string, AnnouncedVolume>;
}
