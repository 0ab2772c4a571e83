import { DAY_MS } from '#src/core/units.ts';
import { type Database, type Pool, queryOf } from '#src/database/connect.ts';
import { inTransaction } from '#src/database/transaction.ts';
import { closeHoursBefore, earlierWritersAreGone } from '#src/rollups/refresh.ts';

// Raw SQL: locks of rows, and snapshots of transactions.

/** Changed days that are taken in one transaction. */
const MOST_CHANGES = 20_000;

/** Start of yesterday, UTC: where most readings still come in nothing is kept. */
export const yesterdayOf = (now: Date): Date => new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS - DAY_MS);

/**
 * Moves the time before which sums of groups may be kept to the start of yesterday; it never moves back. From the moment at which writers know it they note what
 * they change before it, and it holds once those are over that may not have known it. `isClosing`: hours that are still open are closed, since
 * a change of an open one is not noted. (With continuous aggregates the refresh does that.)
 */
export async function moveKeptBefore(
  pool: Pool,
  now: Date,
  { isClosing, waitMs }: { isClosing: boolean; waitMs: number },
): Promise<void> {
  const to = yesterdayOf(now);
  const { rows } = await pool.query(
    'SELECT noted_before < $1 AS "mustNote", kept_before < $1 AS "mustMove" FROM group_sums_progress',
    [to],
  );
  if (!rows[0].mustMove) return;
  // Before they are noted: sums of their days are not kept yet.
  if (isClosing) await closeHoursBefore(pool, to);
  if (rows[0].mustNote)
    await pool.query('UPDATE group_sums_progress SET noted_before = $1 WHERE noted_before < $1', [to]);
  if (await earlierWritersAreGone(pool, waitMs))
    await pool.query('UPDATE group_sums_progress SET kept_before = $1 WHERE kept_before < $1 AND noted_before >= $1', [
      to,
    ]);
}

/** Removes the sums, and what is kept of devices, that changed days were part of; then nothing is noted of these days any more. */
export async function takeChangedDays(pool: Pool, mostChanges = MOST_CHANGES): Promise<number> {
  let all = 0;
  for (;;) {
    const taken = await inTransaction(pool, async (client) => {
      // After sums that are being kept (they hold the row, too): this removes them as well.
      await client.query('SELECT FROM group_sums_progress FOR UPDATE');
      // With continuous aggregates a day is right again when it is no longer stale.
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

/** Where no group is kept any more, nobody notes anything either. */
export async function restIfNothingIsKept(pool: Pool): Promise<void> {
  await inTransaction(pool, async (client) => {
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

/** Runs what adds up in one transaction, at one moment, and not while changed days are taken. `before`: up to when sums may be kept; null: none may. */
export const atOnce = <T>(db: Database, run: (trx: Database, before: Date | null) => Promise<T>): Promise<T> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      const { rows } = await queryOf(trx)<{ before: Date | number }>(
        'SELECT kept_before AS before FROM group_sums_progress FOR SHARE',
        [],
      );
      const before = rows[0]?.before;
      return run(trx, before instanceof Date ? before : null);
    });
