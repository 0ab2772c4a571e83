import type { Database } from '#src/database/connect.ts';

/** Most devices that a message names. */
export const MAX_DEVICES = 10;

/** What people call devices, by id. */
export type DeviceNames = ReadonlyMap<string, { location: string; type: string }>;

/**
 * Names of the devices that an event tells of, as they are called now, among those of its user. A deleted one is still
 * known by its name; one that is gone altogether is not in the answer.
 */
export async function deviceNames(
  db: Database,
  { userId, data }: { userId: string; data: Record<string, unknown> },
): Promise<DeviceNames> {
  const told = Array.isArray(data.devices) ? (data.devices as { device_id: string }[]) : [];
  const ids = told.slice(0, MAX_DEVICES).map(({ device_id }) => device_id);
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('devices')
    .select(['device_id', 'location', 'type'])
    .where('user_id', '=', userId)
    .where('device_id', 'in', ids)
    .execute();
  return new Map(rows.map(({ device_id, location, type }) => [device_id, { location, type }]));
}
