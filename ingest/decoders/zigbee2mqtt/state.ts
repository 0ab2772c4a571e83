import type { Commodity } from '#src/database/meter.ts';
import type { Json } from '../read/payload.ts';
import type { VolumeScale } from '../read/volume.ts';

/** What a meter has counted, as its attribute is announced. */
export interface Volume {
  of: Commodity;
  scale: VolumeScale;
}

/** What a device says of itself: all of it as one object, or one attribute of it. */
export interface State {
  device: string;
  attributes: Json;
  /** Of the last radio frame; null: as old as its receipt. */
  atMs: number | null;
  /** Whether the device has an attribute: here, or in messages that its bridge has announced. */
  has(attribute: string): boolean;
  /** Its volumes, by attribute, as far as its bridge has announced them. */
  volumes: ReadonlyMap<string, Volume>;
}
