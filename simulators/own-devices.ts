import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { newId } from '#src/core/ids.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import type { Database } from '#src/database/connect.ts';
import type { ManagedBy, Placement } from '#src/database/enums.ts';
import { createDevice, type NewDevice } from '#src/devices/store.ts';

/** A device that only the simulator plays. */
export interface SimulatorDevice {
  deviceId: string;
  createdAt: Date;
  /** Creation time of the first device that this one replaces; this device's own if it replaces none. */
  firstCreatedAt: Date;
  /** Time of the last reading of this device or of those that it replaces; null if there is none. */
  lastReadAtMs: number | null;
}

/** Kinds that earlier simulators identified by type and location. */
const ONCE_BY_LOCATION: ReadonlySet<string> = new Set(['smart_meter', 'thermostat']);

/** Owner and kind of a simulated device, and the location of a new one. */
export interface DevicePlace {
  userId: string;
  /** What distinguishes the device from the user's other simulated devices. */
  kind: string;
  /** Type of a new device; default: the kind. */
  type?: string;
  location: string;
  /** Placement of a new device; by default it follows from the kind. */
  placement?: Placement;
  /** Account that manages the device; default: the user. */
  managedBy?: ManagedBy;
}

interface Row {
  device_id: string;
  created_at: Date;
  deleted_at: Date | null;
  last_read_at: Date | null;
}

/**
 * Finds or creates the simulator's own device of a user. It is identified by the end of its id, even if people change its location, type
 * and settings. A device that people paired has no such id, whatever its name. `pair` creates it.
 */
export async function ensureSimulatorDevice(
  db: Database,
  place: DevicePlace,
  pair: (db: Database, device: NewDevice) => Promise<unknown> = createDevice,
): Promise<SimulatorDevice> {
  const { userId, kind, type = kind, location, placement, managedBy = 'owner' } = place;
  let known = await ownDevices(db, place);
  if (known.length === 0 && (await adopt(db, place))) known = await ownDevices(db, place);
  let living = known.find(({ deleted_at }) => deleted_at === null);
  if (!living) {
    const wanted = { userId, type, location, managedBy, ...omitUndefined({ placement }) };
    await pair(db, { deviceId: newOwnId(place), ...wanted });
    known = await ownDevices(db, place);
    living = known.find(({ deleted_at }) => deleted_at === null);
  }
  if (!living) throw new Error(`The simulated ${place.kind} of ${place.userId} was not stored`);
  // Devices of earlier versions: the update could not determine who paired them (sql/schema/0055_managed_devices.sql).
  await db
    .updateTable('devices')
    .set({ managed_by: managedBy })
    .where('device_id', '=', living.device_id)
    .where('managed_by', '<>', managedBy)
    .execute();
  // The consumption of a deleted device stays in its owner's history. The device that replaces it continues from there, because it would
  // count twice otherwise.
  const times = known.map(({ last_read_at }) => last_read_at?.getTime() ?? 0);
  const lastReadAtMs = living.last_read_at?.getTime() ?? (Math.max(...times) || null);
  const firstCreatedAt = known[0]?.created_at ?? living.created_at;
  return { deviceId: living.device_id, createdAt: living.created_at, firstCreatedAt, lastReadAtMs };
}

/**
 * Returns the end of these devices' ids: 48 bits, which no random id ends with by chance. The alphabet of ids contains all hexadecimal
 * digits.
 */
const endOfId = ({ userId, kind }: Pick<DevicePlace, 'userId' | 'kind'>): string =>
  createHash('sha256').update(`simulated ${kind} of ${userId}`).digest('hex').slice(0, 12);

/** Whether the simulator has ever created a device of this kind for the user. */
export const hasSimulatorDevice = async (db: Database, place: Pick<DevicePlace, 'userId' | 'kind'>): Promise<boolean> =>
  (await ownDevices(db, place)).length > 0;

/** Returns a new id that begins with the time, as all ids do, so that lists stay in order. */
function newOwnId(place: DevicePlace): string {
  const end = endOfId(place);
  return newId('dev').slice(0, -end.length) + end;
}

/** Returns the simulator's devices of this kind and user, including deleted ones, oldest first. */
async function ownDevices(db: Database, place: Pick<DevicePlace, 'userId' | 'kind'>): Promise<Row[]> {
  return db
    .selectFrom('devices')
    .select(({ selectFrom }) => [
      'device_id',
      'created_at',
      'deleted_at',
      selectFrom('device_heads')
        // Times in the law states of the device's series (ingest/write/head.ts).
        .select(
          sql<Date | null>`(SELECT to_timestamp(max((law->>1)::bigint) / 1000.0) FROM jsonb_array_elements(laws::jsonb) law)`.as(
            'last',
          ),
        )
        .whereRef('device_heads.device_id', '=', 'devices.device_id')
        .as('last_read_at'),
    ])
    .where('user_id', '=', place.userId)
    .where(({ eb, or }) =>
      or([
        eb('device_id', 'like', `%${endOfId(place)}`),
        sql<boolean>`decoder_config ->> 'simulated' = ${endOfId(place)}`,
      ]),
    )
    .orderBy('created_at')
    .orderBy('device_id')
    .execute();
}

/**
 * Marks a device that earlier simulators identified by type and location, if there is one. An id cannot be changed, and the decoder
 * settings are the attribute that people change least. Only if no device is found by its id, so that a device that a user later pairs at
 * that location remains the user's.
 */
async function adopt(db: Database, place: DevicePlace): Promise<boolean> {
  if (!ONCE_BY_LOCATION.has(place.kind)) return false;
  const { numUpdatedRows } = await db
    .updateTable('devices')
    .set({ decoder_config: sql`decoder_config || jsonb_build_object('simulated', ${endOfId(place)}::text)` })
    .where('device_id', '=', ({ selectFrom }) =>
      selectFrom('devices')
        .select('device_id')
        .where('user_id', '=', place.userId)
        .where('type', '=', place.kind)
        .where('location', '=', place.location)
        .orderBy(sql`deleted_at IS NOT NULL`)
        .orderBy('created_at')
        .limit(1),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
