import type { SimulatedHome } from '../home-clock.ts';
import { createRandom } from '../random.ts';

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

const MILLIWATT_HOURS = { Wh: 1_000, kWh: 1_000_000 };

/** The home's register in mWh; zero for times before its meter was installed. */
export function registerAt(home: SimulatedHome, atMs: number): number {
  return home.at(Math.max(atMs, home.installedAtMs)).registerMilliwattHours;
}

/**
 * mWh as a device writes them: in its unit, rounded down to its last decimal. Real counters count whole steps too, and so
 * what is written is never ahead of the home and less than one step behind it.
 */
export function registerText(milliwattHours: number, unit: 'Wh' | 'kWh', decimals: number): string {
  const step = MILLIWATT_HOURS[unit] / 10 ** decimals;
  return ((Math.floor(milliwattHours / step) * step) / MILLIWATT_HOURS[unit]).toFixed(decimals);
}

/** Hex digits as in the MAC address of a device, the same ones for the same name. */
export function hardwareId(name: string, digits: number): string {
  const random = createRandom(name, 'hardware id');
  return Array.from({ length: digits }, () => random.whole(0, 15).toString(16)).join('');
}
