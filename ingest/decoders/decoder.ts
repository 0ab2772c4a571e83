import type { RegisterDescription } from './registers-of-a-device/register.ts';

export type QuantityKind = 'register' | 'interval' | 'power' | 'temperature' | 'setpoint' | 'heating' | 'humidity';

export interface DecodedReading {
  deviceId: string;
  /** Channel of the reading, such as `import`, `export`, `import/t1`, `switch0/import`: lower-case words joined by slashes. */
  channel: string;
  kind: QuantityKind;
  /** Time of the measurement in Unix ms. For an interval, this is the end of the interval. */
  readAtMs: number;
  /** Whether the message has no time of its own. If so, `readAtMs` is the time of receipt. */
  isUntimed?: true;
  /** Length of the interval in ms; 0 if the reading is not an interval. */
  intervalMs: number;
  /** Value as a whole number: mWh (register, interval), mW (power), 0.001 °C, 0.001 % (humidity), 0 or 1 (heating). */
  value: number;
  /** Position of the reading in its message, from 0. Rejections contain this position. */
  element: number;
  /** Name of the quantity, as the device behind the gateway calls it. */
  native?: string;
  /** Unit that the message states, or null. Set only if the meaning of the quantity is unknown. */
  unit?: string | null;
  /**
   * Description of a register. The meaning of the register (import, export, production …) is decided together with the other registers of
   * its device.
   */
  described?: RegisterDescription;
}

/** Reason why a message, or one element of it, cannot be used. */
interface Rejection {
  /** Position of the element in the message, from 0; null for the whole message. */
  element: number | null;
  reason: string;
}

/** Result of decoding one message. A rejected element does not affect the other elements. */
export interface DecodedMessage {
  deviceId: string;
  readings: DecodedReading[];
  rejections: Rejection[];
  status?: 'online' | 'offline' | 'faulty';
}

/** Plausible minimum and maximum of each quantity. Even at these maxima, JavaScript numbers of mWh and cm³ are exact. */
export const PLAUSIBLE_BOUNDS = {
  energy_total_kwh: [0, 9_000_000_000],
  energy_interval_kwh: [0, 1_000_000],
  volume_total_m3: [0, 9_000_000_000],
  power_w: [-100_000_000, 100_000_000],
  temperature_c: [-100, 200],
  setpoint_c: [-100, 200],
  humidity_percent: [0, 100],
} as const;
