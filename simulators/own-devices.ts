import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { newId } from '#src/core/ids.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import type { Database } from '#src/database/connect.ts';
import type { ManagedBy, Placement } from '#src/database/enums.ts';
import { createDevice } from '#src/devices/store.ts';

/** A device that nothing but the simulator plays. */
export interface OwnDevice {
  deviceId: string;
  createdAt: Date;
  /** Of the first one of those that it replaces; its own where it replaces none. */
  firstCreatedAt: Date;
  /** Time of its last reading, or of the last one of those that it replaces; null where there is none. */
  lastReadAtMs: number | null;
}

/** What the simulator plays; the type of its device. */
export type OwnKind = 'smart_meter' | 'thermostat' | 'inverter' | 'battery';

/** What simulators played that knew their devices by type and location. */
const ONCE_BY_LOCATION: ReadonlySet<OwnKind> = new Set(['smart_meter', 'thermostat']);

/** Whose device, what the simulator plays as it, and where a new one is said to be. */
export interface Place {
  userId: string;
  kind: OwnKind;
  location: string;
  /** Where a new one sits; without it, it follows from the kind. */
  placement?: Placement;
  /** Who paired it. Default: the user. */
  managedBy?: ManagedBy;
}

interface Row {
  device_id: string;
  created_at: Date;
  deleted_at: Date | null;
  last_read_at: Date | null;
}

/**
 * Finds the simulator's own device of a user, or creates it. It is known by the end of its id, whatever people then make of
 * its location, type and settings; a device that they paired has no such id, whatever they call it.
 */
export async function ensureOwnDevice(db: Database, place: Place): Promise<OwnDevice> {
  const { userId, kind, location, placement, managedBy = 'owner' } = place;
  let known = await ownDevices(db, place);
  if (known.length === 0 && (await adopt(db, place))) known = await ownDevices(db, place);
  let living = known.find(({ deleted_at }) => deleted_at === null);
  if (!living) {
    const wanted = { userId, type: kind, location, managedBy, ...omitUndefined({ placement }) };
    await createDevice(db, { deviceId: newOwnId(place), ...wanted });
    known = await ownDevices(db, place);
    living = known.find(({ deleted_at }) => deleted_at === null);
  }
  if (!living) throw new Error(`The simulated ${place.kind} of ${place.userId} was not stored`);
  // Devices of earlier versions: the update could not know who paired them (sql/schema/0055_managed_devices.sql).
  await db
    .updateTable('devices')
    .set({ managed_by: managedBy })
    .where('device_id', '=', living.device_id)
    .where('managed_by', '<>', managedBy)
    .execute();
  // What a deleted one used stays in its owner's history: the one that replaces it goes on from there, or it counted twice.
  const times = known.map(({ last_read_at }) => last_read_at?.getTime() ?? 0);
  const lastReadAtMs = living.last_read_at?.getTime() ?? (Math.max(...times) || null);
  const firstCreatedAt = known[0]?.created_at ?? living.created_at;
  return { deviceId: living.device_id, createdAt: living.created_at, firstCreatedAt, lastReadAtMs };
}

/** The end of the ids of these devices: 48 bits that no id by chance ends with. Hexadecimal digits are all in its alphabet. */
const endOfId = ({ userId, kind }: Place): string =>
  createHash('sha256').update(`simulated ${kind} of ${userId}`).digest('hex').slice(0, 12);

/** A new id that begins with the time as all do, so that lists keep their order. */
function newOwnId(place: Place): string {
  const end = endOfId(place);
  return newId('dev').slice(0, -end.length) + end;
}

/** The simulator's devices of this kind and user, deleted ones too, the oldest first. */
async function ownDevices(db: Database, place: Place): Promise<Row[]> {
  return db
    .selectFrom('devices')
    .select(({ selectFrom }) => [
      'device_id',
      'created_at',
      'deleted_at',
      selectFrom('device_heads')
        // The times in the laws of its series (ingest/write/head.ts).
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
 * Marks the device that simulators before this one knew by its type and location, where there is one: an id cannot be
 * changed, and of what can, the decoders' settings are what people touch least. Only where nothing is known by its id, so
 * that one which a user later pairs at that location stays his.
 */
async function adopt(db: Database, place: Place): Promise<boolean> {
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
