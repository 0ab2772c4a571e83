import { DAY_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { rotateSecret } from './credentials.ts';
import type { SimulatorDevice, SimulatorDeviceKind } from './own-devices.ts';

/** Length of a new device's history, and the current time of the simulation. */
export interface DemoHistory {
  historyDays: number;
  nowMs: number;
}

/** A device that the demo plays, with the secret created at this start. */
export interface DemoDevice {
  kind: SimulatorDeviceKind;
  deviceId: string;
  secret: string;
  /** Time at which its registers were at zero. */
  installedAtMs: number;
  /** Time of its last reading in the database, or the start of its history where it has none. */
  knownUntilMs: number;
  /** Returns the message elements at a time. `withPower` adds the current power to the registers. */
  readings(atMs: number, withPower: boolean): object[];
}

/** Prepares a simulated device for playing, with a new secret. */
export async function preparePlayedDevice(
  db: Database,
  { deviceId, lastReadAtMs }: SimulatorDevice,
  { nowMs }: DemoHistory,
  played: Pick<DemoDevice, 'kind' | 'installedAtMs' | 'readings'>,
): Promise<DemoDevice> {
  const knownUntilMs = Math.min(nowMs, Math.max(lastReadAtMs ?? 0, played.installedAtMs));
  return { ...played, deviceId, secret: await rotateSecret(db, deviceId), knownUntilMs };
}

/** Start of a device's history. Later starts of the demo return the same instant. */
export const historyStartMs = ({ createdAt }: SimulatorDevice, { historyDays }: DemoHistory): number =>
  createdAt.getTime() - historyDays * DAY_MS;

/**
 * Offset of a time zone in minutes east of UTC at one time. The demo uses it for the whole history: simulated people ignore daylight
 * saving.
 */
export function localOffsetMinutes(timeZone: string, at: Date): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at);
  const match = /GMT([+-])(\d\d):(\d\d)/.exec(parts.find(({ type }) => type === 'timeZoneName')?.value ?? '');
  return match ? (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3])) : 0;
}
