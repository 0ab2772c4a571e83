import type { Json } from '../read/payload.ts';

/** What a device says of itself: all of it as one object, or one attribute of it. */
export interface State {
  device: string;
  attributes: Json;
  /** Of the last radio frame; null: as old as its receipt. */
  atMs: number | null;
  /** Whether the device has an attribute: here, or in messages that its bridge has announced. */
  has(attribute: string): boolean;
}
