import type { Described } from './registers-of-a-device/register.ts';

/** Kind of quantity. */
export type Kind = 'register' | 'interval' | 'power' | 'temperature' | 'setpoint' | 'heating' | 'humidity';

/** One quantity out of one message. */
export interface DecodedReading {
  deviceId: string;
  /** `import`, `export`, `import/t1`, `switch0/import`: lower-case words between slashes. */
  channel: string;
  kind: Kind;
  /** Event time in Unix ms; for an interval its end. */
  readAtMs: number;
  /** The message told no time: `readAtMs` is that of its receipt. */
  isUntimed?: true;
  /** Length of an interval reading in ms; 0 for every other kind. */
  intervalMs: number;
  /** Whole number: mWh (register, interval), mW (power), 0.001 °C, 0.001 % (humidity), 0 or 1 (heating). */
  value: number;
  /** Position in the message from 0, for rejections. */
  element: number;
  /** How a device behind a gateway calls it, and its unit where nobody knows what it is (null: the message does not say). */
  native?: string;
  unit?: string | null;
  /** How it is described where it is judged with the other registers of its device. */
  described?: Described;
}

/** Why a message, or one element of it, cannot be used. */
interface Rejection {
  /** Position in the message from 0; null for the whole message. */
  element: number | null;
  reason: string;
}

/** Result of decoding one message. One bad element never drops its neighbours. */
export interface DecodedMessage {
  deviceId: string;
  readings: DecodedReading[];
  rejections: Rejection[];
  /** Status that the device reports. */
  status?: 'online' | 'offline' | 'faulty';
}

/** Plausible bounds of what devices tell, least and most; that of a register is where mWh (cm³) stop being exact numbers. */
export const BOUNDS = {
  energy_total_kwh: [0, 9_000_000_000],
  energy_interval_kwh: [0, 1_000_000],
  volume_total_m3: [0, 9_000_000_000],
  power_w: [-100_000_000, 100_000_000],
  temperature_c: [-100, 200],
  setpoint_c: [-100, 200],
  humidity_percent: [0, 100],
} as const;
