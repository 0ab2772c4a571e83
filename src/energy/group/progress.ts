import { DAY_MS } from '#src/core/units.ts';
import { createQueryFunction, type Database, type Pool } from '#src/database/connect.ts';
import { runInTransaction } from '#src/database/transaction.ts';
import { closeOpenHoursBefore, waitForEarlierWriters } from '#src/rollups/refresh.ts';

// Raw SQL: row locks, and transactions that share a snapshot.

/** Maximum number of recorded changes that one transaction processes. */
const MAX_CHANGES = 20_000;

/** Returns the start of yesterday (UTC). Sums of later times are not stored, because most new readings are of these times. */
export const getStartOfYesterday = (now: Date): Date => new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS - DAY_MS);

/**
 * Moves the bound before which sums of groups may be stored to the start of yesterday. Processes that write consumption then record changes
 * of times before the bound. They do not record changes of a device's latest hour, which is stored in `device_heads`. If `isClosing`, the
 * latest hours before the bound are therefore first added to the stored consumption.
 */
export async function advanceGroupSumsBound(
  pool: Pool,
  now: Date,
  { isClosing, waitMs }: { isClosing: boolean; waitMs: number },
): Promise<void> {
  const to = getStartOfYesterday(now);
  const { rows } = await pool.query(
    'SELECT noted_before < $1 AS "mustNote", kept_before < $1 AS "mustMove" FROM group_sums_progress',
    [to],
  );
  if (!rows[0].mustMove) return;
  // Nothing is stored for these days yet, so changes of them need no record.
  if (isClosing) await closeOpenHoursBefore(pool, to);
  if (rows[0].mustNote)
    await pool.query('UPDATE group_sums_progress SET noted_before = $1 WHERE noted_before < $1', [to]);
  if (await waitForEarlierWriters(pool, waitMs))
    await pool.query('UPDATE group_sums_progress SET kept_before = $1 WHERE kept_before < $1 AND noted_before >= $1', [
      to,
    ]);
}

/** Deletes the stored sums of changed days, and then the records of these changes. Returns the number of changes. */
export async function invalidateSumsOfChangedDays(pool: Pool, mostChanges = MAX_CHANGES): Promise<number> {
  let all = 0;
  for (;;) {
    const taken = await runInTransaction(pool, async (client) => {
      // Transactions that store sums lock this row, too, so their sums are committed when this one gets the lock.
      await client.query('SELECT FROM group_sums_progress FOR UPDATE');
      // With continuous aggregates, the sums of outdated days are refreshed later. Until then, changes of these days remain recorded,
      // because group sums would be computed from wrong sums.
      const { rows } = await client.query(
        `WITH taken AS (
           DELETE FROM changed_home_days WHERE change_id IN (
             SELECT change_id FROM changed_home_days c WHERE NOT EXISTS (SELECT FROM stale_days s WHERE s.day = c.day OR c.day = '-infinity')
             ORDER BY change_id LIMIT $1)
           RETURNING user_id, day),
         changed AS (SELECT DISTINCT h.group_id, t.day FROM taken t JOIN kept_group_homes h USING (user_id)),
         pasts AS (DELETE FROM kept_device_pasts p USING (SELECT DISTINCT user_id FROM taken) t WHERE p.user_id = t.user_id),
         gone AS (
           DELETE FROM kept_group_sums s USING changed c
           WHERE s.group_id = c.group_id AND (c.day = '-infinity' OR s.starts_at < c.day + interval '24 hours' AND s.ends_at > c.day)),
         due AS (UPDATE kept_groups k SET looked_at = NULL WHERE k.group_id IN (SELECT group_id FROM changed))
         SELECT count(*)::int AS taken FROM taken`,
        [mostChanges],
      );
      return rows[0].taken as number;
    });
    all += taken;
    if (taken < mostChanges) return all;
  }
}

export async function stopRecordingChangesIfUnused(pool: Pool): Promise<void> {
  await runInTransaction(pool, async (client) => {
    await client.query('SELECT FROM group_sums_progress FOR UPDATE');
    const { rowCount } = await client.query(
      `UPDATE group_sums_progress SET noted_before = '-infinity', kept_before = '-infinity'
       WHERE noted_before > '-infinity' AND NOT EXISTS (SELECT FROM kept_groups WHERE composition IS NOT NULL)`,
    );
    if (rowCount === 0) return;
    await client.query('DELETE FROM changed_home_days');
    await client.query('DELETE FROM kept_device_pasts');
  });
}

/**
 * Calls `run` in one transaction with one snapshot, never concurrently with `invalidateSumsOfChangedDays`. `before`: time before which sums
 * may be stored; null if none may.
 */
export const runInSnapshot = <T>(db: Database, run: (trx: Database, before: Date | null) => Promise<T>): Promise<T> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      const { rows } = await createQueryFunction(trx)<{ before: Date | number }>(
        'SELECT kept_before AS before FROM group_sums_progress FOR SHARE',
        [],
      );
      const before = rows[0]?.before;
      return run(trx, before instanceof Date ? before : null);
    });
