import type { SimulatedHome } from '../home-clock.ts';
import { createSeededRandom } from '../random.ts';

/** One MQTT message of a device that uses its maker's format instead of this service's native format. */
export interface FamilyMessage {
  topic: string;
  payload: string;
  /** Whether the broker retains the message for later subscribers. Default false. */
  retain?: boolean;
}

/**
 * A simulated device that behaves like its maker's firmware. It has state, so its messages must be requested in order of time and for the
 * same home.
 */
export interface FamilyDevice {
  family: string;
  /** Id of the device in the topics of its messages. */
  nativeId: string;
  /** Messages that the device sends once on connect, such as birth, discovery and availability messages. */
  greeting(atMs: number): FamilyMessage[];
  /** Returns the messages that the device sends at one time for the state of the home. */
  messages(home: SimulatedHome, atMs: number): FamilyMessage[];
}

const MILLIWATT_HOURS = { Wh: 1_000, kWh: 1_000_000 };

/** Returns the home's energy register in mWh; zero before the home's meter was installed. */
export function getRegisterAt(home: SimulatedHome, atMs: number): number {
  return home.at(Math.max(atMs, home.installedAtMs)).registerMilliwattHours;
}

/** Formats mWh as a device does: in the device's unit, rounded down to its last decimal. */
export function formatRegister(milliwattHours: number, unit: 'Wh' | 'kWh', decimals: number): string {
  const step = MILLIWATT_HOURS[unit] / 10 ** decimals;
  return ((Math.floor(milliwattHours / step) * step) / MILLIWATT_HOURS[unit]).toFixed(decimals);
}

/** Returns hexadecimal digits for a device's MAC address. The same name always results in the same digits. */
export function createHardwareId(name: string, digits: number): string {
  const random = createSeededRandom(name, 'hardware id');
  return Array.from({ length: digits }, () => random.whole(0, 15).toString(16)).join('');
}
