import { newId } from '#src/core/ids.ts';
import type { Database } from '#src/database/connect.ts';
import { newDeviceSecret } from './credentials.ts';

/** A device as the API shows it. */
export interface Device {
  device_id: string;
  type: string;
  location: string;
  status: 'active' | 'inactive' | 'faulty';
  last_seen_at: string | null;
}

export interface NewDevice {
  userId: string;
  type: string;
  location: string;
  limitKw?: number;
  registerMaxKwh?: number;
  maxGapMinutes?: number;
  timezone?: string;
}

/** Pairs a device. Its secret is in this answer and nowhere else. */
export async function createDevice(db: Database, device: NewDevice): Promise<{ device: Device; secret: string }> {
  const { secret, sha256 } = newDeviceSecret();
  const row = await db
    .insertInto('devices')
    .values({
      device_id: newId('dev'),
      user_id: device.userId,
      type: device.type,
      location: device.location,
      mqtt_secret_sha256: sha256,
      register_max_kwh: device.registerMaxKwh ?? null,
      timezone: device.timezone ?? null,
      last_seen_at: null,
      deleted_at: null,
      ...(device.limitKw === undefined ? {} : { limit_kw: device.limitKw }),
      ...(device.maxGapMinutes === undefined ? {} : { max_gap_minutes: device.maxGapMinutes }),
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  return { device: shown(row), secret };
}

/** Devices of one user, in order of their ids, after `cursor`; at most `limit`. */
export async function listDevices(
  db: Database,
  userId: string,
  page: { limit: number; cursor?: string },
): Promise<Device[]> {
  const rows = await db
    .selectFrom('devices')
    .select(COLUMNS)
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .where('device_id', '>', page.cursor ?? '')
    .orderBy('device_id')
    .limit(page.limit)
    .execute();
  return rows.map(shown);
}

const COLUMNS = ['device_id', 'type', 'location', 'status', 'last_seen_at'] as const;

const shown = (row: Omit<Device, 'last_seen_at'> & { last_seen_at: Date | null }): Device => ({
  ...row,
  last_seen_at: row.last_seen_at?.toISOString() ?? null,
});

/** MQTT topic that a device publishes its readings under. */
export const readingsTopic = (deviceId: string): string => `energy/v1/${deviceId}/readings`;
