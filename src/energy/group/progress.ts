import { DAY_MS } from '#src/core/units.ts';
import { createQueryFunction, type Database, type Pool } from '#src/database/connect.ts';
import { runInTransaction } from '#src/database/transaction.ts';
import { closeOpenHoursBefore, waitForEarlierWriters } from '#src/rollups/refresh.ts';

// Raw SQL: row locks, and transactions that share a snapshot.

/** Maximum number of recorded changes that one transaction processes. */
const MOST_CHANGES = 20_000;

/** Returns the start of yesterday (UTC). Most readings still arrive for yesterday and today, so no sums of that time are stored. */
export const getStartOfYesterday = (now: Date): Date => new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS - DAY_MS);

/**
 * Moves the bound before which sums of groups may be stored to the start of yesterday; the bound never moves back. The new bound is first
 * published to the processes that write consumption, which from then on record their changes before it. The bound becomes valid when all
 * transactions that may not have read it have ended. `isClosing`: also closes earlier hours that are still open (the latest hour of a
 * device, stored in its head), because changes of open hours are not recorded. With continuous aggregates, the refresh job closes them.
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
  // Closing the hours may change days before the new bound. Recording such changes is not necessary: no sums of these days are stored yet.
  if (isClosing) await closeOpenHoursBefore(pool, to);
  if (rows[0].mustNote)
    await pool.query('UPDATE group_sums_progress SET noted_before = $1 WHERE noted_before < $1', [to]);
  if (await waitForEarlierWriters(pool, waitMs))
    await pool.query('UPDATE group_sums_progress SET kept_before = $1 WHERE kept_before < $1 AND noted_before >= $1', [
      to,
    ]);
}

/**
 * Deletes the stored sums, and the stored facts about device histories, that include changed days; then deletes the records of the changes.
 * Returns the number of changes processed.
 */
export async function invalidateSumsOfChangedDays(pool: Pool, mostChanges = MOST_CHANGES): Promise<number> {
  let all = 0;
  for (;;) {
    const taken = await runInTransaction(pool, async (client) => {
      // Transactions that store sums lock this row, too. When this transaction gets the lock, their sums are committed, so that it can
      // delete them.
      await client.query('SELECT FROM group_sums_progress FOR UPDATE');
      // With continuous aggregates, a day that is marked as stale is refreshed later. Its sums would be wrong if they were computed before
      // that.
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
 * Runs a computation in one transaction with one snapshot, never concurrently with `invalidateSumsOfChangedDays`. `before`: the bound
 * before which sums may be stored; null if no sums may be stored.
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
