import type { SimulatedHome } from '../home-clock.ts';

/** One MQTT message of a device of somebody else's make. */
export interface FamilyMessage {
  topic: string;
  payload: string;
  /** The broker keeps it for those who subscribe later; false where it is not given. */
  retain?: boolean;
}

/**
 * A device as its maker's firmware behaves. It remembers what it sent (deltas, caches, counters since boot), so it is asked
 * in order of time, always with the same home.
 */
export interface FamilyDevice {
  family: string;
  /** How the device calls itself in its own topics. */
  nativeId: string;
  /** What it sends once on connect: births, discovery, availability. */
  greeting(atMs: number): FamilyMessage[];
  /** What it sends of the home at one time. */
  messages(home: SimulatedHome, atMs: number): FamilyMessage[];
}
