import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';

/**
 * Whether a device's readings are enough for usage, which lies between two of one quantity. `first`: time of the first one that is stored;
 * null where there is none. `areSingle`: no quantity has a second one (an interval has its energy in itself).
 */
export async function energyReadings(
  db: Database,
  deviceId: string,
): Promise<{ first: Date | null; areSingle: boolean }> {
  // Raw SQL: two readings of each series, by its index.
  const { rows } = await sql<{ first: Date | null; single: boolean | null }>`
    SELECT min(of_series.first) AS first, bool_and(of_series.count <= 1 AND s.kind <> 'interval') AS single FROM series s
    CROSS JOIN LATERAL (SELECT min(r.read_at) AS first, count(*) AS count FROM
      (SELECT read_at FROM readings WHERE series_id = s.series_id ORDER BY read_at LIMIT 2) r) of_series
    WHERE s.device_id = ${deviceId} AND s.kind IN ('register', 'interval', 'power')`.execute(db);
  return { first: rows[0]?.first ?? null, areSingle: rows[0]?.single === true };
}
