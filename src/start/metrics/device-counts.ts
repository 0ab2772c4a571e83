import type { Pool } from '#src/database/connect.ts';

/** How many devices there are, by when they were heard. */
export const DEVICE_COUNTS = {
  energy_devices_heard_in_day: 'Devices with a valid reading in the last 24 hours',
  energy_devices_heard_in_hour: 'Devices with a valid reading in the last hour',
  energy_devices_faulty: 'Devices that say that they are faulty, or most of whose last readings were rejected',
};

/** Counts them, from the one row that each device has for what its readings change. */
export async function deviceCounts(pool: Pool): Promise<Record<string, number>> {
  // Raw SQL: counts over two relations in one statement.
  const { rows } = await pool.query<Record<string, number>>(
    `SELECT count(*) FILTER (WHERE seen_at > now() - interval '24 hours')::int AS energy_devices_heard_in_day,
       count(*) FILTER (WHERE seen_at > now() - interval '1 hour')::int AS energy_devices_heard_in_hour,
       (SELECT count(*) FROM devices WHERE status = 'faulty' AND deleted_at IS NULL)::int AS energy_devices_faulty
     FROM device_heads JOIN devices USING (device_id) WHERE deleted_at IS NULL`,
  );
  return rows[0] ?? {};
}
