import { type Database, queryOf } from '#src/database/connect.ts';
import { COLUMN, ROW_TIME } from '#src/rollups/levels.ts';

/** What the whole past of a device says of it. */
export interface DevicePast {
  /** Unix ms: start of the quarter-hour in which its first counted interval begins. */
  beginsAtMs: number;
  /** What has flowed out of it less what has flowed in, mWh. Asked of those that produce only: else 0. */
  netExportMilliwattHours: number;
}

/**
 * How long it is taken for the same: corrections of the past are to be seen within 30 s. A device of which nothing counts yet is asked
 * about each time.
 */
const REMEMBERED_MS = 10_000;
const MOST_REMEMBERED = 20_000;
const remembered = new Map<string, DevicePast & { untilMs: number }>();

const [IMPORT, EXPORT] = [COLUMN.energyMilliwattHours, COLUMN.exportMilliwattHours];
const KNOWN = `sum(${COLUMN.coveredMs}) > 0 OR sum(${COLUMN.exportCoveredMs}) > 0`;

/** A device, or what is told apart of one, by its key. `counted`: what counts of it, with a change of which nothing is remembered. */
interface Asked {
  id: string;
  produces: boolean;
  counted?: string;
}

/**
 * The pasts of devices, or of what is told apart of them, by their keys; without those of which nothing counts yet. `isAfresh`: none as
 * this process remembers it.
 */
export async function pastsOf(
  db: Database,
  devices: readonly Asked[],
  isAfresh = false,
): Promise<Map<string, DevicePast>> {
  const nowMs = performance.now();
  const found = new Map<string, DevicePast>();
  const unknown: Asked[] = [];
  for (const one of devices) {
    const known = remembered.get(nameOf(one));
    if (known && known.untilMs > nowMs && !isAfresh) found.set(one.id, known);
    else unknown.push(one);
  }
  if (unknown.length === 0) return found;
  if (remembered.size > MOST_REMEMBERED) remembered.clear();
  const names = new Map(unknown.map((one) => [one.id, nameOf(one)]));
  for (const { device_id, begins_at, net_export } of await ask(db, unknown)) {
    if (!begins_at) continue;
    const past = { beginsAtMs: begins_at.getTime(), netExportMilliwattHours: Number(net_export ?? 0) };
    found.set(device_id, past);
    remembered.set(names.get(device_id) as string, { ...past, untilMs: nowMs + REMEMBERED_MS });
  }
  return found;
}

const nameOf = ({ id, produces, counted = '' }: Asked): string => `${id} ${produces} ${counted}`;

async function ask(db: Database, devices: readonly Asked[]) {
  const parts = (where: string) => `(
    SELECT starts_at, ${COLUMN.coveredMs}, ${COLUMN.exportCoveredMs} FROM closed_device_intervals c WHERE c.device_id = d.device_id ${where}
    UNION ALL
    SELECT starts_at, ${COLUMN.coveredMs}, ${COLUMN.exportCoveredMs} FROM open_quarter_hours o WHERE o.device_id = d.device_id)`;
  const begin = (where: string) =>
    `(SELECT min(starts_at) FROM (SELECT starts_at FROM ${parts(where)} p GROUP BY 1 HAVING ${KNOWN}) q)`;
  const net = (where: string) => `coalesce((SELECT sum(${EXPORT}) - sum(${IMPORT}) FROM (
         SELECT ${IMPORT}, ${EXPORT} FROM closed_device_hourly h WHERE h.device_id = d.device_id ${where}
         UNION ALL SELECT ${IMPORT}, ${EXPORT} FROM open_hours o WHERE o.device_id = d.device_id) p), 0)`;
  // Raw SQL: the first quarter-hour of each device is looked for where its first rows are, and everywhere only where those tell nothing. What is
  // kept of one (keep-pasts.ts) holds unless a closed hour of before changed, or one of before is still open.
  const { rows } = await queryOf(db)<{ device_id: string; begins_at: Date | null; net_export: string | null }>(
    `SELECT d.device_id,
       coalesce(k.begins_at, ${begin(`AND c.${ROW_TIME} >= f.first_at AND c.${ROW_TIME} < f.first_at + interval '24 hours'`)}, ${begin('')}) AS begins_at,
       CASE WHEN NOT d.produces THEN NULL WHEN k.net IS NULL THEN ${net('')}
         ELSE k.net + ${net(`AND h.hour >= k.before AND h.${ROW_TIME} >= k.before`)} END AS net_export
     FROM unnest($1::text[], $2::boolean[]) d (device_id, produces)
     LEFT JOIN LATERAL (
       SELECT begins_at, before, net_export_milliwatt_hours AS net FROM kept_device_pasts kept
       WHERE kept.device_id = d.device_id AND NOT EXISTS (SELECT FROM changed_home_days c WHERE c.user_id = kept.user_id)
         AND NOT EXISTS (SELECT FROM open_hours o WHERE o.device_id = d.device_id AND o.hour < kept.before)) k ON true
     LEFT JOIN LATERAL (SELECT date_trunc('day', least(
       (SELECT min(starts_at) FROM device_hours h WHERE h.device_id = d.device_id),
       (SELECT min(day) FROM device_days y WHERE y.device_id = d.device_id)), 'UTC') AS first_at) f ON k.begins_at IS NULL`,
    [devices.map(({ id }) => id), devices.map(({ produces }) => produces)],
  );
  return rows;
}
