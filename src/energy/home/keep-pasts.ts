import { type Database, queryOf } from '#src/database/connect.ts';
import { COLUMN, ROW_TIME } from '#src/rollups/levels.ts';
import type { Home } from './home.ts';

const [IMPORT, EXPORT] = [COLUMN.energyMilliwattHours, COLUMN.exportMilliwattHours];
/** What came later is added for each answer: it is never much. */
const DAYS_TO_ADD = 7;

/**
 * Keeps what the closed hours before a time say of the devices of some homes (`pastsOf` adds what came later): where they began, and of those that
 * produce what had flowed out less what had flowed in. What is kept of them already stays for a week. Asked afresh, never what this process
 * remembers; of one that had not begun by then nothing is kept. `before`: start of a UTC day, before which changes of closed hours are noted.
 */
export async function keepPasts(db: Database, homes: readonly Home[], before: Date): Promise<void> {
  const devices = homes.flatMap(({ userId, devices }) =>
    [...Map.groupBy(devices, ({ deviceId, partOf }) => partOf ?? deviceId).values()].flatMap((parts) => {
      const produces = parts.some(({ placement }) => placement === 'production');
      return parts
        .filter(({ partOf }) => partOf === null || produces)
        .map(({ deviceId }) => ({ deviceId, userId, produces }));
    }),
  );
  const begin = (where: string) => `(SELECT min(starts_at) FROM (
         SELECT starts_at FROM closed_device_intervals c WHERE c.device_id = d.device_id AND c.starts_at < $4 AND c.${ROW_TIME} < $4 ${where}
         GROUP BY 1 HAVING sum(${COLUMN.coveredMs}) > 0 OR sum(${COLUMN.exportCoveredMs}) > 0) q)`;
  // Raw SQL: lists as one parameter each, and relations of src/rollups/levels.ts.
  await queryOf(db)(
    `INSERT INTO kept_device_pasts AS k (device_id, user_id, before, begins_at, net_export_milliwatt_hours)
     SELECT d.device_id, d.user_id, $4, b.begins_at, CASE WHEN d.produces THEN coalesce((SELECT sum(${EXPORT}) - sum(${IMPORT})
       FROM closed_device_hourly h WHERE h.device_id = d.device_id AND h.hour < $4 AND h.${ROW_TIME} < $4), 0) END
     FROM unnest($1::text[], $2::text[], $3::boolean[]) d (device_id, user_id, produces)
     CROSS JOIN LATERAL (SELECT date_trunc('day', least(
       (SELECT min(starts_at) FROM device_hours h WHERE h.device_id = d.device_id),
       (SELECT min(day) FROM device_days y WHERE y.device_id = d.device_id)), 'UTC') AS first_at) f
     CROSS JOIN LATERAL (SELECT coalesce(${begin(`AND c.${ROW_TIME} >= f.first_at AND c.${ROW_TIME} < f.first_at + interval '24 hours'`)}, ${begin('')}) AS begins_at) b
     WHERE b.begins_at IS NOT NULL AND NOT EXISTS (SELECT FROM kept_device_pasts o WHERE o.device_id = d.device_id
       AND o.before > $4 - interval '${DAYS_TO_ADD} days' AND (o.net_export_milliwatt_hours IS NOT NULL OR NOT d.produces))
     ORDER BY d.device_id
     ON CONFLICT (device_id) DO UPDATE SET before = excluded.before, begins_at = excluded.begins_at,
       net_export_milliwatt_hours = excluded.net_export_milliwatt_hours`,
    [
      devices.map(({ deviceId }) => deviceId),
      devices.map(({ userId }) => userId),
      devices.map(({ produces }) => produces),
      before,
    ],
  );
}
