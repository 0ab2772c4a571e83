import type { Database } from '#src/database/connect.ts';

/** Silence after which a device becomes inactive. */
const SILENT_MS = 24 * 3_600_000;

/** Sets devices that have been silent for a day to inactive. Returns how many. */
export async function deactivateSilentDevices(db: Database, now: Date): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('devices')
    .set({ status: 'inactive' })
    .where('status', '<>', 'inactive')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('device_heads')
          .whereRef('device_heads.device_id', '=', 'devices.device_id')
          .where('seen_at', '<', new Date(now.getTime() - SILENT_MS)),
      ),
    )
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
