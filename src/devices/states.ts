import type { Pool } from '#src/database/connect.ts';

/** A device that is silent for so long is inactive. */
const SILENT_H = 24;

/** Makes devices inactive that have been silent for a day. Returns how many. */
export async function restSilentDevices(pool: Pool, now: Date): Promise<number> {
  const { rowCount } = await pool.query(
    `UPDATE devices SET status = 'inactive'
     WHERE status <> 'inactive' AND last_seen_at < $1::timestamptz - make_interval(hours => ${SILENT_H})`,
    [now],
  );
  return rowCount ?? 0;
}
