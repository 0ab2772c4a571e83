import { DAY_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { rotateSecret } from './credentials.ts';
import type { OwnDevice, OwnKind } from './own-devices.ts';

/** How far back a new device's past goes, and the time that is taken for now. */
export interface History {
  historyDays: number;
  nowMs: number;
}

/** A device that the demo plays, with the secret of this start. */
export interface DemoDevice {
  kind: OwnKind;
  deviceId: string;
  secret: string;
  /** When its registers were at zero. */
  installedAtMs: number;
  /** Time of its last reading in the database, or the start of its history where it has none. */
  knownUntilMs: number;
  /** What it tells at a time, one element or more; `withPower`: with what flows just then beside the registers. */
  readings(atMs: number, withPower: boolean): object[];
}

/** A device of the simulator's as it is played from now on, with a new secret. */
export async function playedDevice(
  db: Database,
  { deviceId, lastReadAtMs }: OwnDevice,
  { nowMs }: History,
  played: Pick<DemoDevice, 'kind' | 'installedAtMs' | 'readings'>,
): Promise<DemoDevice> {
  const knownUntilMs = Math.min(nowMs, Math.max(lastReadAtMs ?? 0, played.installedAtMs));
  return { ...played, deviceId, secret: await rotateSecret(db, deviceId), knownUntilMs };
}

/** Where a device's past begins: later starts find the same instant. */
export const historyStartMs = ({ createdAt }: OwnDevice, { historyDays }: History): number =>
  createdAt.getTime() - historyDays * DAY_MS;

/** Minutes east of UTC of a zone at one time. Kept for all of the history: simulated people ignore daylight saving. */
export function localOffsetMinutes(timeZone: string, at: Date): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at);
  const match = /GMT([+-])(\d\d):(\d\d)/.exec(parts.find(({ type }) => type === 'timeZoneName')?.value ?? '');
  return match ? (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3])) : 0;
}
