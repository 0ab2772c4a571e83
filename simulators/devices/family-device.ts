import type { SimulatedHome } from '../home-clock.ts';
import { createRandom } from '../random.ts';

/** One MQTT message of a device with another maker's firmware. */
export interface FamilyMessage {
  topic: string;
  payload: string;
  /** Whether the broker retains the message for later subscribers. Default false. */
  retain?: boolean;
}

/**
 * A device that behaves like its maker's firmware. It has state (deltas, caches, counters since boot), so its messages
 * must be requested in order of time, always with the same home.
 */
export interface FamilyDevice {
  family: string;
  /** Id of the device in its own topics. */
  nativeId: string;
  /** Messages that the device sends once on connect: births, discovery, availability. */
  greeting(atMs: number): FamilyMessage[];
  /** Messages that the device sends for the home at one time. */
  messages(home: SimulatedHome, atMs: number): FamilyMessage[];
}

const MILLIWATT_HOURS = { Wh: 1_000, kWh: 1_000_000 };

/** Returns the home's register in mWh: zero before its meter was installed. */
export function getRegisterAt(home: SimulatedHome, atMs: number): number {
  return home.at(Math.max(atMs, home.installedAtMs)).registerMilliwattHours;
}

/**
 * Formats mWh as a device does: in its unit, rounded down to its last decimal, because real counters also count whole
 * steps. The value is less than one step below the home's register, never above it.
 */
export function formatRegister(milliwattHours: number, unit: 'Wh' | 'kWh', decimals: number): string {
  const step = MILLIWATT_HOURS[unit] / 10 ** decimals;
  return ((Math.floor(milliwattHours / step) * step) / MILLIWATT_HOURS[unit]).toFixed(decimals);
}

/** Returns hexadecimal digits for a device's MAC address. The same name always gives the same digits. */
export function createHardwareId(name: string, digits: number): string {
  const random = createRandom(name, 'hardware id');
  return Array.from({ length: digits }, () => random.whole(0, 15).toString(16)).join('');
}
