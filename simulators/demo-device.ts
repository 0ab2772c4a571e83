import { DAY_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { rotateSecret } from './credentials.ts';
import { getReadingsTopic } from './devices/native-meter.ts';
import type { SimulatorDevice } from './own-devices.ts';

/** Length of a new device's history, and the time at which the history ends. */
export type DemoHistory = { nowMs: number } & ({ historyDays: number } | { historyMonths: number });

interface Cadence {
  /** Seconds between historical readings. */
  pastSeconds: number;
  /** Historical readings before this time (Unix ms) are hourly, because quarter-hourly readings of years would delay the first start. */
  hourlyBeforeMs: number;
  /** Minimum number of seconds between live readings. */
  liveSeconds: number;
}

/** Intervals between the readings of devices that measure electricity: quarter-hours, like real meters. */
export const METER_READING_CADENCE: Cadence = {
  pastSeconds: 900,
  hourlyBeforeMs: Number.NEGATIVE_INFINITY,
  liveSeconds: 0,
};
/** Cadence of a thermostat. */
export const THERMOSTAT_READING_CADENCE: Cadence = { ...METER_READING_CADENCE, pastSeconds: 3600 };

/** A device that the demo simulates. Its secret is new at each start of the demo. */
export interface DemoDevice {
  /** Kind of the device. A user has at most one device of each kind. */
  kind: string;
  deviceId: string;
  /** Login name at the broker: the id of the device, or the login of its gateway. */
  login: string;
  secret: string;
  /** Topic of its messages. */
  topic: string;
  cadence: Cadence;
  /** Unix ms at which the device's registers were at zero. */
  installedAtMs: number;
  /** Time (Unix ms) of the device's last reading in the database. If no reading is stored, the start of the device's history. */
  knownUntilMs: number;
  /** Period of the history in which the device sent nothing: times of the readings before and after the period, Unix ms. */
  silence?: { fromMs: number; toMs: number };
  /** Returns the elements of the device's message at one time. `withPower`: whether the elements also contain the current power. */
  readings(atMs: number, withPower: boolean): object[];
}

/**
 * Prepares a simulated device for publishing, with a new secret. `behind`: login, secret and topic of the device's gateway, if it has a
 * gateway.
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

/** Returns the start of a device's history in Unix ms. The result is the same at each start of the demo. */
export function computeHistoryStartMs({ createdAt }: Pick<SimulatorDevice, 'createdAt'>, history: DemoHistory): number {
  if ('historyDays' in history) return createdAt.getTime() - history.historyDays * DAY_MS;
  const start = new Date(createdAt);
  start.setUTCMonth(start.getUTCMonth() - history.historyMonths);
  // One month before 31 March is the end of February, as in PostgreSQL, which computes the start of the retention period.
  if (start.getUTCDate() !== createdAt.getUTCDate()) start.setUTCDate(0);
  // Registers start at zero at the beginning of a local day, which must be within the retention period. The device's history therefore
  // starts a day after the start of the period.
  return start.getTime() + DAY_MS;
}

/** Returns the offset of a time zone at one time, in minutes east of UTC. The demo uses it for the whole history. */
export function getUtcOffsetMinutes(timeZone: string, at: Date): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at);
  const match = /GMT([+-])(\d\d):(\d\d)/.exec(parts.find(({ type }) => type === 'timeZoneName')?.value ?? '');
  return match ? (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3])) : 0;
}
