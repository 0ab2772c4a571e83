import { sql } from 'kysely';
import { newId } from '#src/core/ids.ts';
import type { Database } from '#src/database/connect.ts';
import { type Reach, within } from '#src/database/reach.ts';
import { together } from '#src/database/transaction.ts';
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
  /** An id that says something to whoever made it (simulators do); a new one without it. */
  deviceId?: string;
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
      device_id: device.deviceId ?? newId('dev'),
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

/**
 * Pairs a device that was discovered through a gateway of the same account: it needs no credentials of its own. Null where
 * nothing of that id is waiting within the reach.
 */
export async function pairDiscovered(
  db: Database,
  reach: Reach,
  discoveryId: string,
  device: NewDevice,
): Promise<Device | null> {
  return together(db, async (trx) => {
    const discovered = await trx
      .selectFrom('discovered_devices')
      .innerJoin('gateways', 'gateways.gateway_id', 'discovered_devices.gateway_id')
      .select('discovery_id')
      .where('discovery_id', '=', discoveryId)
      .where('device_id', 'is', null)
      .where('gateways.user_id', '=', device.userId)
      .where(within(reach, 'gateways.user_id'))
      .forUpdate('discovered_devices')
      .executeTakeFirst();
    if (!discovered) return null;
    const { device: paired } = await createDevice(trx, device);
    await trx
      .updateTable('discovered_devices')
      .set({ device_id: paired.device_id })
      .where('discovery_id', '=', discoveryId)
      .execute();
    return paired;
  });
}

/** What of a device can be changed. */
export interface DevicePatch {
  type?: string;
  location?: string;
  limitKw?: number;
  registerMaxKwh?: number | null;
  maxGapMinutes?: number;
  timezone?: string | null;
  decoderConfig?: Record<string, unknown>;
}

/** One device within the reach; null where there is none, or it was deleted. */
export async function findDevice(db: Database, reach: Reach, deviceId: string): Promise<DeviceDetails | null> {
  const row = await db
    .selectFrom('devices')
    .select(DETAILS)
    .where('device_id', '=', deviceId)
    .where('deleted_at', 'is', null)
    .where(within(reach, 'devices.user_id'))
    .executeTakeFirst();
  return row ? shownInFull(row) : null;
}

/**
 * Changes a device within the reach; null where there is none. Settings of the law hold for the past, too: what its
 * consumption was computed with is kept, and the next message of the device computes it anew.
 */
export async function updateDevice(
  db: Database,
  reach: Reach,
  deviceId: string,
  patch: DevicePatch,
): Promise<DeviceDetails | null> {
  const { type, location, limitKw, registerMaxKwh, maxGapMinutes, timezone, decoderConfig } = patch;
  const ofTheLaw = limitKw !== undefined || registerMaxKwh !== undefined || maxGapMinutes !== undefined;
  const row = await db
    .updateTable('devices')
    .set((set) => ({
      device_id: set.ref('device_id'),
      ...(type === undefined ? {} : { type }),
      ...(location === undefined ? {} : { location }),
      ...(limitKw === undefined ? {} : { limit_kw: limitKw }),
      ...(registerMaxKwh === undefined ? {} : { register_max_kwh: registerMaxKwh }),
      ...(maxGapMinutes === undefined ? {} : { max_gap_minutes: maxGapMinutes }),
      ...(timezone === undefined ? {} : { timezone }),
      ...(decoderConfig === undefined ? {} : { decoder_config: JSON.stringify(decoderConfig) }),
      ...(ofTheLaw
        ? {
            computed_with: sql`coalesce(computed_with, jsonb_build_object('limit_kw', limit_kw,
              'register_max_kwh', register_max_kwh, 'max_gap_minutes', max_gap_minutes))`,
          }
        : {}),
    }))
    .where('device_id', '=', deviceId)
    .where('deleted_at', 'is', null)
    .where(within(reach, 'devices.user_id'))
    .returning(DETAILS)
    .executeTakeFirst();
  return row ? shownInFull(row) : null;
}

/**
 * Ends a device within the reach: it can no longer log in, and what it sends is refused. What it consumed stays in its
 * owner's history. What was paired from a gateway can be paired again. False where there is none.
 */
export async function deleteDevice(db: Database, reach: Reach, deviceId: string): Promise<boolean> {
  return together(db, async (trx) => {
    // As writers do: what was discovered first, then its device.
    const discovered = await trx
      .selectFrom('discovered_devices')
      .select('discovery_id')
      .where('device_id', '=', deviceId)
      .orderBy('discovery_id')
      .forUpdate()
      .execute();
    const { numUpdatedRows } = await trx
      .updateTable('devices')
      .set({ deleted_at: new Date(), mqtt_secret_sha256: Buffer.alloc(0) })
      .where('device_id', '=', deviceId)
      .where('deleted_at', 'is', null)
      .where(within(reach, 'devices.user_id'))
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    const ids = discovered.map(({ discovery_id }) => discovery_id);
    if (ids.length > 0) {
      await trx.updateTable('discovered_devices').set({ device_id: null }).where('discovery_id', 'in', ids).execute();
    }
    return true;
  });
}

/** Devices of one user, in order of their ids, after `cursor`; at most `limit`. */
export async function listDevices(
  db: Database,
  reach: Reach,
  userId: string,
  page: { limit: number; cursor?: string },
): Promise<Device[]> {
  const rows = await db
    .selectFrom('devices')
    .select(COLUMNS)
    .where('user_id', '=', userId)
    .where(within(reach, 'devices.user_id'))
    .where('deleted_at', 'is', null)
    .where('device_id', '>', page.cursor ?? '')
    .orderBy('device_id')
    .limit(page.limit)
    .execute();
  return rows.map(shown);
}

/** A device by itself, with its settings. */
export interface DeviceDetails extends Device {
  user_id: string;
  limit_kw: number;
  register_max_kwh: number | null;
  max_gap_minutes: number;
  timezone: string | null;
  decoder_config: unknown;
  created_at: string;
}

const COLUMNS = ['device_id', 'type', 'location', 'status', 'last_seen_at'] as const;
const DETAILS = [
  ...COLUMNS,
  'user_id',
  'limit_kw',
  'register_max_kwh',
  'max_gap_minutes',
  'timezone',
  'decoder_config',
  'created_at',
] as const;

const shownInFull = (
  row: Omit<DeviceDetails, 'last_seen_at' | 'created_at'> & { last_seen_at: Date | null; created_at: Date },
): DeviceDetails => ({
  ...row,
  last_seen_at: row.last_seen_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
});

const shown = (row: Omit<Device, 'last_seen_at'> & { last_seen_at: Date | null }): Device => ({
  ...row,
  last_seen_at: row.last_seen_at?.toISOString() ?? null,
});

/** MQTT topic that a device publishes its readings under. */
export const readingsTopic = (deviceId: string): string => `energy/v1/${deviceId}/readings`;
