import type { Database } from '#src/database/connect.ts';

/** Maximum number of devices that a message names. */
export const MAX_NAMED_DEVICES = 10;

export type DeviceNames = ReadonlyMap<string, { location: string; type: string }>;

/** Loads the current names of the devices in an event, if they belong to the user whom the event is about. */
export async function loadDeviceNames(
  db: Database,
  { userId, data }: { userId: string; data: Record<string, unknown> },
): Promise<DeviceNames> {
  const listed = Array.isArray(data.devices) ? (data.devices as { device_id: string }[]) : [];
  const ids = listed.slice(0, MAX_NAMED_DEVICES).map(({ device_id }) => device_id);
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('devices')
    .select(['device_id', 'location', 'type'])
    .where('user_id', '=', userId)
    .where('device_id', 'in', ids)
    .execute();
  return new Map(rows.map(({ device_id, location, type }) => [device_id, { location, type }]));
}
