import { createQueryFunction, type Database, PREPARED_PREFIX } from '#src/database/connect.ts';
import { COLUMN_BY_MEASURE, PACKED_DAYS_TABLE, ROW_TIME_COLUMN, STORED_HOURS_TABLE } from '#src/rollups/levels.ts';

const [IMPORT, EXPORT] = [COLUMN_BY_MEASURE.energyMilliwattHours, COLUMN_BY_MEASURE.exportMilliwattHours];
const [IMPORT_MS, EXPORT_MS] = [COLUMN_BY_MEASURE.coveredMs, COLUMN_BY_MEASURE.exportCoveredMs];
const IS_KNOWN = `sum(${IMPORT_MS}) > 0 OR sum(${EXPORT_MS}) > 0`;
/** SQL: start of the first UTC day with stored data of a device. */
const FIRST_DAY = `date_trunc('day', least((SELECT min(starts_at) FROM ${STORED_HOURS_TABLE.relation} h WHERE h.device_id = d.key),
      (SELECT min(day) FROM ${PACKED_DAYS_TABLE.relation} y WHERE y.device_id = d.key)), 'UTC')`;
const ON_FIRST_DAY = `AND c.${ROW_TIME_COLUMN} >= f.first_at AND c.${ROW_TIME_COLUMN} < f.first_at + interval '24 hours'`;

/**
 * Builds a query for the first quarter-hour with data. `where`: condition on the quarter-hours. `open`: SQL that adds the latest hour of
 * the device (in `device_heads`).
 */
const begin = (where: string, open: string): string => `(SELECT min(starts_at) FROM (SELECT starts_at FROM (
      SELECT starts_at, ${IMPORT_MS}, ${EXPORT_MS} FROM closed_device_intervals c WHERE c.device_id = d.key ${where}${open}) p
    GROUP BY 1 HAVING ${IS_KNOWN}) q)`;
const OPEN = ` UNION ALL SELECT starts_at, ${IMPORT_MS}, ${EXPORT_MS} FROM open_quarter_hours o WHERE o.device_id = d.key`;

/** SQL: the number of quarter-hours that one element of an array stands for. A single element stands for the whole day. */
const times = (column: string): string => `CASE WHEN cardinality(y.${column}) = 1 THEN 96 ELSE 1 END`;
/** Builds a query for the net export of a device without its latest hour (in `device_heads`). `where`: condition on the start of a row. */
const closedNet = (where: (at: string) => string): string => `(
      coalesce((SELECT sum(h.${EXPORT} - h.${IMPORT}) FROM ${STORED_HOURS_TABLE.relation} h WHERE h.device_id = d.key ${where('h.starts_at')}), 0)
      + (SELECT (coalesce(sum(exported * out_times), 0) - coalesce(sum(imported * into_times), 0))::bigint FROM (
        SELECT unnest(y.${EXPORT})::float8 AS exported, unnest(y.${IMPORT})::float8 AS imported, ${times(EXPORT)} AS out_times, ${times(IMPORT)} AS into_times
        FROM ${PACKED_DAYS_TABLE.relation} y WHERE y.device_id = d.key ${where('y.day')}) e))`;
const OPEN_NET = `coalesce((SELECT sum(${EXPORT} - ${IMPORT}) FROM open_hours o WHERE o.device_id = d.key), 0)`;

/**
 * Builds a query for facts from the whole history of devices, or of groups of their channels. `keys`: a relation `d` with the columns `key`
 * (id of the device or group) and `produces`. The query returns `begins_at`, null if no energy is known, and `net_export`, null unless
 * `produces` is true.
 */
export const deviceHistorySql = (keys: string): string => `
  SELECT d.key, coalesce(k.begins_at, ${begin(ON_FIRST_DAY, OPEN)}, ${begin('', OPEN)}) AS begins_at,
    CASE WHEN NOT d.produces THEN NULL WHEN k.net IS NULL THEN ${closedNet(() => '')} + ${OPEN_NET}
      ELSE k.net + ${closedNet((at) => `AND ${at} >= k.before`)} + ${OPEN_NET} END AS net_export
  FROM ${keys}
  LEFT JOIN LATERAL (
    SELECT begins_at, before, net_export_milliwatt_hours AS net FROM kept_device_pasts kept
    WHERE kept.device_id = d.key AND NOT EXISTS (SELECT FROM changed_home_days c WHERE c.user_id = kept.user_id)
      AND NOT EXISTS (SELECT FROM open_hours o WHERE o.device_id = d.key AND o.hour < kept.before)) k ON true
  LEFT JOIN LATERAL (SELECT ${FIRST_DAY} AS first_at) f ON k.begins_at IS NULL`;

/** Returns the start of the quarter-hour in which a device's known energy begins, in Unix ms. */
export async function findFirstDataTimeMs(db: Database, deviceId: string): Promise<number | null> {
  // Raw SQL, here and below: names of relations are known only at run time.
  const { rows } = await createQueryFunction(db)<{ begins_at: Date | null }>(
    `${PREPARED_PREFIX}${deviceHistorySql('(SELECT $1::text AS key, false AS produces) d')}`,
    [deviceId],
  );
  return rows[0]?.begins_at?.getTime() ?? null;
}

/** Maximum age in days of stored facts. Each query must add the energy since they were stored. */
const DAYS_TO_ADD = 7;

export interface DeviceWithStoredHistory {
  key: string;
  userId: string;
  produces: boolean;
}

/**
 * Stores facts about the history of devices, or of groups of their channels, before a UTC day. Replaces facts that are older than a week.
 * If consumption before this day changes later, the database deletes the facts.
 */
export async function storeDeviceHistory(
  db: Database,
  devices: readonly DeviceWithStoredHistory[],
  before: Date,
): Promise<void> {
  const earlier = (where: string) => begin(`AND c.starts_at < $4 AND c.${ROW_TIME_COLUMN} < $4 ${where}`, '');
  await createQueryFunction(db)(
    `INSERT INTO kept_device_pasts AS k (device_id, user_id, before, begins_at, net_export_milliwatt_hours)
     SELECT d.key, d.user_id, $4, b.begins_at, CASE WHEN d.produces THEN ${closedNet((at) => `AND ${at} < $4`)} END
     FROM unnest($1::text[], $2::text[], $3::boolean[]) d (key, user_id, produces)
     CROSS JOIN LATERAL (SELECT ${FIRST_DAY} AS first_at) f
     CROSS JOIN LATERAL (SELECT coalesce(${earlier(ON_FIRST_DAY)}, ${earlier('')}) AS begins_at) b
     WHERE b.begins_at IS NOT NULL AND NOT EXISTS (SELECT FROM kept_device_pasts o WHERE o.device_id = d.key
       AND o.before > $4 - interval '${DAYS_TO_ADD} days' AND (o.net_export_milliwatt_hours IS NOT NULL OR NOT d.produces))
     ORDER BY d.key
     ON CONFLICT (device_id) DO UPDATE SET before = excluded.before, begins_at = excluded.begins_at,
       net_export_milliwatt_hours = excluded.net_export_milliwatt_hours`,
    [
      devices.map(({ key }) => key),
      devices.map(({ userId }) => userId),
      devices.map(({ produces }) => produces),
      before,
    ],
  );
}
