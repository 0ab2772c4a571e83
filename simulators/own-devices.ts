import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { newId } from '#src/core/ids.ts';
import type { Database } from '#src/database/connect.ts';
import { createDevice } from '#src/devices/store.ts';

/** A device that nothing but the simulator plays. */
export interface OwnDevice {
  deviceId: string;
  createdAt: Date;
  /** Time of its last reading, or of the last one of those that it replaces; null where there is none. */
  lastReadAtMs: number | null;
}

/** Whose device, what the simulator plays as it, and where a new one is said to be. */
export interface Place {
  userId: string;
  kind: 'smart_meter' | 'thermostat';
  location: string;
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
  let known = await ownDevices(db, place);
  if (known.length === 0 && (await adopt(db, place))) known = await ownDevices(db, place);
  let living = known.find(({ deleted_at }) => deleted_at === null);
  if (!living) {
    const { userId, kind, location } = place;
    await createDevice(db, { deviceId: newOwnId(place), userId, type: kind, location });
    known = await ownDevices(db, place);
    living = known.find(({ deleted_at }) => deleted_at === null);
  }
  if (!living) throw new Error(`The simulated ${place.kind} of ${place.userId} was not stored`);
  // What a deleted one used stays in its owner's history: the one that replaces it goes on from there, or it counted twice.
  const times = known.map(({ last_read_at }) => last_read_at?.getTime() ?? 0);
  const lastReadAtMs = living.last_read_at?.getTime() ?? (Math.max(...times) || null);
  return { deviceId: living.device_id, createdAt: living.created_at, lastReadAtMs };
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
  const { rows } = await sql<Row>`
    SELECT device_id, created_at, deleted_at,
      (SELECT max(last_read_at) FROM series s WHERE s.device_id = d.device_id) AS last_read_at
    FROM devices d
    WHERE user_id = ${place.userId}
      AND (device_id LIKE ${`%${endOfId(place)}`} OR decoder_config ->> 'simulated' = ${endOfId(place)})
    ORDER BY created_at, device_id`.execute(db);
  return rows;
}

/**
 * Marks the device that simulators before this one knew by its type and location, where there is one: an id cannot be
 * changed, and of what can, the decoders' settings are what people touch least. Only where nothing is known by its id, so
 * that one which a user later pairs at that location stays his.
 */
async function adopt(db: Database, place: Place): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE devices SET decoder_config = decoder_config || jsonb_build_object('simulated', ${endOfId(place)}::text)
    WHERE device_id = (SELECT device_id FROM devices
      WHERE user_id = ${place.userId} AND type = ${place.kind} AND location = ${place.location}
      ORDER BY deleted_at IS NOT NULL, created_at LIMIT 1)`.execute(db);
  return (numAffectedRows ?? 0n) > 0n;
}
