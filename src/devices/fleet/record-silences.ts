import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import { getRetentionStartMs } from '#src/database/migrate.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';

/** Minimum length in ms of a recorded silence, because many meters report only every quarter-hour. */
export const MIN_SILENCE_MS = 3_600_000;
/** Maximum time in ms between two checks for silences. In a longer gap, silences could begin and end undetected. */
export const MAX_SILENCE_CHECK_GAP_MS = 300_000;

/** Tolerance in ms for times that are ahead of the database's clock. A later time was written before the clock was set back. */
const CLOCKS_DIFFER_MS = 60_000;

/**
 * Records which devices have become silent and which report again. Reads the state of all devices once (0.1 s for 100,000 devices). Returns
 * the numbers of silences that began and ended.
 */
export async function recordDeviceSilences(db: Database, now: Date): Promise<{ began: number; ended: number }> {
  return joinOrBeginTransaction(db, async (trx) => {
    await endFuture(trx, now);
    // Raw SQL: updates with a join, and an insert that skips existing rows.
    const { numAffectedRows: ended = 0n } = await sql`
      UPDATE device_silences s SET ended_at = coalesce(d.deleted_at, h.seen_at)
      FROM device_heads h JOIN devices d USING (device_id)
      WHERE s.ended_at IS NULL AND h.device_id = s.device_id
        AND (coalesce(h.seen_at, d.created_at) > s.began_at OR d.deleted_at IS NOT NULL)`.execute(trx);
    const { numAffectedRows: began = 0n } = await sql`
      INSERT INTO device_silences (device_id, began_at, user_id, was_heard)
      SELECT h.device_id, coalesce(h.seen_at, d.created_at), h.user_id, h.seen_at IS NOT NULL
      FROM device_heads h JOIN devices d USING (device_id)
      WHERE coalesce(h.seen_at, d.created_at) <= ${new Date(now.getTime() - MIN_SILENCE_MS)} AND d.deleted_at IS NULL
        AND NOT EXISTS (SELECT FROM device_silences s WHERE s.device_id = h.device_id AND s.ended_at IS NULL)
      ON CONFLICT DO NOTHING`.execute(trx);
    const { numAffectedRows: went = 0n } = await sql`
      UPDATE silence_watches SET ended_at = greatest(ended_at, ${now})
      WHERE began_at = (SELECT max(began_at) FROM silence_watches)
        AND ended_at >= ${new Date(now.getTime() - MAX_SILENCE_CHECK_GAP_MS)}`.execute(trx);
    if (went === 0n) {
      await trx
        .insertInto('silence_watches')
        .values({ began_at: now, ended_at: now })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
    return { began: Number(began), ended: Number(ended) };
  });
}

/**
 * Replaces times in the future, which a wrong clock has written, by the current time. Otherwise no silence would be recorded until such a
 * time is reached.
 */
async function endFuture(trx: Database, now: Date): Promise<void> {
  // Raw SQL: compares with the database's clock, which wrote the times in these tables.
  const limit = sql`now() + make_interval(secs => ${CLOCKS_DIFFER_MS / 1_000})`;
  await sql`UPDATE device_heads SET seen_at = now() WHERE seen_at > ${limit}`.execute(trx);
  // Later in the same run, a silence that still lasts is recorded again.
  await sql`DELETE FROM device_silences WHERE began_at > ${limit}`.execute(trx);
  await sql`UPDATE device_silences SET ended_at = now() WHERE ended_at > ${limit}`.execute(trx);
  // The times in `silence_watches` come from the workers' clocks, so they are compared with a worker's clock.
  const latest = new Date(now.getTime() + MAX_SILENCE_CHECK_GAP_MS);
  await trx.deleteFrom('silence_watches').where('began_at', '>', latest).execute();
  await trx.updateTable('silence_watches').set({ ended_at: now }).where('ended_at', '>', latest).execute();
}

/** Deletes silences that ended before the retention period of readings. */
export async function deleteOldDeviceSilences(db: Database, now: Date, retentionMonths: number): Promise<void> {
  const before = new Date(getRetentionStartMs(now.getTime(), retentionMonths));
  await db.deleteFrom('device_silences').where('ended_at', '<', before).execute();
  await db.deleteFrom('silence_watches').where('ended_at', '<', before).execute();
}
