import type { Commodity } from '#src/database/meter.ts';
import type { Json } from '../read/payload.ts';
import type { VolumeScale } from '../read/volume.ts';

/** Commodity and scale of a volume, by the announcement of its attribute in `bridge/devices`. */
export interface VolumeAttribute {
  of: Commodity;
  scale: VolumeScale;
}

/** Attributes in a device's message: all of them as one object, or a single one. */
export interface ZigbeeDeviceState {
  device: string;
  attributes: Json;
  /** Time of the last radio frame in Unix ms; null if the time of receipt applies. */
  atMs: number | null;
  /** Whether the device has an attribute, in this message or according to its bridge. */
  has(attribute: string): boolean;
  /** Volumes that the bridge has announced for the device, by attribute. */
  volumes: ReadonlyMap<string, VolumeAttribute>;
}
