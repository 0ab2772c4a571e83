import { DAY_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { rotateSecret } from './credentials.ts';
import { getReadingsTopic } from './devices/native-meter.ts';
import type { SimulatorDevice } from './own-devices.ts';

/** Length of a new device's history, and the current time of the simulation. */
export type DemoHistory = { nowMs: number } & ({ historyDays: number } | { historyMonths: number });

/** Intervals at which a device reports. */
interface Cadence {
  /** Seconds between historical readings. */
  pastSeconds: number;
  /** Time (Unix ms) before which historical readings are hourly. Quarter-hourly readings of years would delay the first start. */
  hourlyBeforeMs: number;
  /** Minimum number of seconds between live readings. */
  liveSeconds: number;
}

/** Cadence of devices that measure electricity: quarter-hours, like real meters. */
export const METER_READING_CADENCE: Cadence = {
  pastSeconds: 900,
  hourlyBeforeMs: Number.NEGATIVE_INFINITY,
  liveSeconds: 0,
};
/** Cadence of a thermostat. */
export const THERMOSTAT_READING_CADENCE: Cadence = { ...METER_READING_CADENCE, pastSeconds: 3600 };

/** A device that the demo simulates, with the secret created at this start. */
export interface DemoDevice {
  /** Kind of the device, unique among the devices of one user. */
  kind: string;
  deviceId: string;
  /** Login name at the broker: that of the device, or of its gateway. */
  login: string;
  secret: string;
  /** Topic of its messages. */
  topic: string;
  cadence: Cadence;
  /** Time at which the device's registers were at zero. */
  installedAtMs: number;
  /** Time of the device's last reading in the database, or the start of its history if there is no reading. */
  knownUntilMs: number;
  /** Period of the device's history in which it sent nothing: times of the readings before and after the period, Unix ms. */
  silence?: { fromMs: number; toMs: number };
  /** Returns the message elements at a time. `withPower`: adds the current power to the registers. */
  readings(atMs: number, withPower: boolean): object[];
}

/**
 * Prepares a simulated device for publishing, with a new secret. `behind`: login and topic of the device's gateway, if it has a gateway.
 */
export async function prepareDemoDevice(
  db: Database,
  { deviceId, lastReadAtMs }: SimulatorDevice,
  { nowMs }: DemoHistory,
  played: Pick<DemoDevice, 'kind' | 'cadence' | 'installedAtMs' | 'readings'>,
  behind?: Pick<DemoDevice, 'login' | 'secret' | 'topic'>,
): Promise<DemoDevice> {
  const knownUntilMs = Math.min(nowMs, Math.max(lastReadAtMs ?? 0, played.installedAtMs));
  const sender = behind ?? {
    login: deviceId,
    secret: await rotateSecret(db, deviceId),
    topic: getReadingsTopic(deviceId),
  };
  return { ...played, ...sender, deviceId, knownUntilMs };
}

/** Returns the start of a device's history. The result is the same at later starts of the demo. */
export function computeHistoryStartMs({ createdAt }: Pick<SimulatorDevice, 'createdAt'>, history: DemoHistory): number {
  if ('historyDays' in history) return createdAt.getTime() - history.historyDays * DAY_MS;
  const start = new Date(createdAt);
  start.setUTCMonth(start.getUTCMonth() - history.historyMonths);
  // The start of the retention, as PostgreSQL computes it: one month before 31 March is the end of February.
  if (start.getUTCDate() !== createdAt.getUTCDate()) start.setUTCDate(0);
  // Registers start at the beginning of a local day, which must be within the retention, so the history starts a day later.
  return start.getTime() + DAY_MS;
}

/**
 * Returns the offset of a time zone in minutes east of UTC at one time. The demo uses this offset for the whole
 * history, because simulated people ignore daylight saving.
 */
export function getUtcOffsetMinutes(timeZone: string, at: Date): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at);
  const match = /GMT([+-])(\d\d):(\d\d)/.exec(parts.find(({ type }) => type === 'timeZoneName')?.value ?? '');
  return match ? (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3])) : 0;
}
