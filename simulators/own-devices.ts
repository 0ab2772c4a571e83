import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { createId } from '#src/core/ids.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import type { Database } from '#src/database/connect.ts';
import type { DeviceManager, Placement } from '#src/database/enums.ts';
import { createDevice, type NewDevice } from '#src/devices/store.ts';

/** A device that exists only in the simulator. */
export interface SimulatorDevice {
  deviceId: string;
  createdAt: Date;
  /** If devices have replaced each other, the time at which the first of them was created. Otherwise the creation time of this device. */
  firstCreatedAt: Date;
  /**
   * Time (Unix ms) of the last reading of this device or, if it has none, of the devices that it replaces. Null if there is no such
   * reading.
   */
  lastReadAtMs: number | null;
}

/** Kinds of devices that earlier versions of the simulator identified by type and location. */
const ONCE_BY_LOCATION: ReadonlySet<string> = new Set(['smart_meter', 'thermostat']);

/** Identifies a simulated device by its owner and kind. The other members apply only when the device is created. */
interface SimulatorDeviceKey {
  userId: string;
  /** Kind of the device. A user has at most one simulated device of each kind. */
  kind: string;
  /** Type of the device. Default: the kind. */
  type?: string;
  location: string;
  /** The part of the home that the device measures. The default depends on the type. */
  placement?: Placement;
  /** Account that manages the device. Default: the owner. */
  managedBy?: DeviceManager;
}

interface Row {
  device_id: string;
  created_at: Date;
  deleted_at: Date | null;
  last_read_at: Date | null;
}

/** Finds a user's simulated device by the end of its id, which ids of other devices do not have. If there is none, `pair` creates it. */
export async function ensureSimulatorDevice(
  db: Database,
  place: SimulatorDeviceKey,
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
  // For devices of earlier versions of the simulator, the migration could not determine the manager (sql/schema/0055_managed_devices.sql),
  // so it is set here.
  await db
    .updateTable('devices')
    .set({ managed_by: managedBy })
    .where('device_id', '=', living.device_id)
    .where('managed_by', '<>', managedBy)
    .execute();
  // The energy of a deleted device remains in its owner's history, so the replacing device continues after the deleted device's last
  // reading.
  const times = known.map(({ last_read_at }) => last_read_at?.getTime() ?? 0);
  const lastReadAtMs = living.last_read_at?.getTime() ?? (Math.max(...times) || null);
  const firstCreatedAt = known[0]?.created_at ?? living.created_at;
  return { deviceId: living.device_id, createdAt: living.created_at, firstCreatedAt, lastReadAtMs };
}

/**
 * Returns the 12 characters with which the ids of a user's simulated devices of one kind end. They have 48 bits, so that no random id has
 * the same end by chance.
 */
const endOfId = ({ userId, kind }: Pick<SimulatorDeviceKey, 'userId' | 'kind'>): string =>
  createHash('sha256').update(`simulated ${kind} of ${userId}`).digest('hex').slice(0, 12);

/** Whether the simulator has ever created a device of this kind for the user. */
export const hasSimulatorDevice = async (
  db: Database,
  place: Pick<SimulatorDeviceKey, 'userId' | 'kind'>,
): Promise<boolean> => (await ownDevices(db, place)).length > 0;

/** Returns a new id. Like all ids, it begins with the time, so that ids sort by age. */
function newOwnId(place: SimulatorDeviceKey): string {
  const end = endOfId(place);
  return createId('dev').slice(0, -end.length) + end;
}

/** Returns the simulator's devices of this kind that the user has or had, oldest first. Includes deleted devices. */
async function ownDevices(db: Database, place: Pick<SimulatorDeviceKey, 'userId' | 'kind'>): Promise<Row[]> {
  return db
    .selectFrom('devices')
    .select(({ selectFrom }) => [
      'device_id',
      'created_at',
      'deleted_at',
      selectFrom('device_heads')
        // The time of the latest reading is part of the device's stored state (ingest/write/head.ts).
        .select(
          sql<Date | null>`(SELECT to_timestamp(max((entry->>1)::bigint) / 1000.0) FROM jsonb_array_elements(laws::jsonb) entry)`.as(
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
 * Marks the device that earlier versions of the simulator identified by type and location, and returns whether there is one. The mark is in
 * the decoder settings, because an id cannot be changed. Called only if no device is found by its id.
 */
async function adopt(db: Database, place: SimulatorDeviceKey): Promise<boolean> {
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
