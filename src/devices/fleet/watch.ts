import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import { retentionStartMs } from '#src/database/migrate.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';

/** Shorter silences are not noted: meters that report by the quarter-hour, and a restart, would be most of them. */
export const SILENT_AFTER_MS = 3_600_000;
/** Between two looks; after a longer break silences may have come and gone unseen. */
export const WATCH_GAP_MS = 300_000;

/** A time of the database that is farther ahead of its clock is of before that was set back. Transactions last less. */
const CLOCKS_DIFFER_MS = 60_000;

/**
 * Notes which devices have fallen silent, which are heard again, and that somebody looked. Of each silence two writes: what a reading costs
 * ingest stays as it is. One look is a pass over the heads (0.1 s at 100,000 devices). Returns how many silences began and ended.
 */
export async function watchSilences(db: Database, now: Date): Promise<{ began: number; ended: number }> {
  return joinOrBeginTransaction(db, async (trx) => {
    await endFuture(trx, now);
    // Raw SQL: updates with a join, and an insert that passes over what is there.
    const { numAffectedRows: ended = 0n } = await sql`
      UPDATE device_silences s SET ended_at = coalesce(d.deleted_at, h.seen_at)
      FROM device_heads h JOIN devices d USING (device_id)
      WHERE s.ended_at IS NULL AND h.device_id = s.device_id
        AND (coalesce(h.seen_at, d.created_at) > s.began_at OR d.deleted_at IS NOT NULL)`.execute(trx);
    const { numAffectedRows: began = 0n } = await sql`
      INSERT INTO device_silences (device_id, began_at, user_id, was_heard)
      SELECT h.device_id, coalesce(h.seen_at, d.created_at), h.user_id, h.seen_at IS NOT NULL
      FROM device_heads h JOIN devices d USING (device_id)
      WHERE coalesce(h.seen_at, d.created_at) <= ${new Date(now.getTime() - SILENT_AFTER_MS)} AND d.deleted_at IS NULL
        AND NOT EXISTS (SELECT FROM device_silences s WHERE s.device_id = h.device_id AND s.ended_at IS NULL)
      ON CONFLICT DO NOTHING`.execute(trx);
    const { numAffectedRows: went = 0n } = await sql`
      UPDATE silence_watches SET ended_at = greatest(ended_at, ${now})
      WHERE began_at = (SELECT max(began_at) FROM silence_watches)
        AND ended_at >= ${new Date(now.getTime() - WATCH_GAP_MS)}`.execute(trx);
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
 * Sets times of a clock that was ahead to now (energy.md, "When the clock was wrong"): else a device that stopped is not noted, nor alerts fire
 * about it, for as long as the clock was ahead. When it was really heard is not known. Long ago would make every device silent at once.
 */
async function endFuture(trx: Database, now: Date): Promise<void> {
  // Raw SQL: the clock of the database, which is what these are stamped with.
  const limit = sql`now() + make_interval(secs => ${CLOCKS_DIFFER_MS / 1_000})`;
  await sql`UPDATE device_heads SET seen_at = now() WHERE seen_at > ${limit}`.execute(trx);
  // One that goes on is noted again.
  await sql`DELETE FROM device_silences WHERE began_at > ${limit}`.execute(trx);
  await sql`UPDATE device_silences SET ended_at = now() WHERE ended_at > ${limit}`.execute(trx);
  // These are stamped by clocks of workers.
  const latest = new Date(now.getTime() + WATCH_GAP_MS);
  await trx.deleteFrom('silence_watches').where('began_at', '>', latest).execute();
  await trx.updateTable('silence_watches').set({ ended_at: now }).where('ended_at', '>', latest).execute();
}

/** Removes what ended before readings are kept. */
export async function forgetSilences(db: Database, now: Date, retentionMonths: number): Promise<void> {
  const before = new Date(retentionStartMs(now.getTime(), retentionMonths));
  await db.deleteFrom('device_silences').where('ended_at', '<', before).execute();
  await db.deleteFrom('silence_watches').where('ended_at', '<', before).execute();
}
