import { writeOrRejectMessages } from '#ingest/batch-writer.ts';
import { createIncomingMessage } from '#ingest/incoming.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import type { Pool } from '#src/database/connect.ts';
import { runInTransaction } from '#src/database/transaction.ts';
import type { SourceAndTargetInstallations } from './installations.ts';

/** Number of stored messages that one transaction writes. */
const PAGE = 200;

/** Settings for writing readings, as in the configuration of ingest. */
export interface IngestSettings {
  retentionMonths: number;
  maxChannels: number;
}

/**
 * Reads the messages that devices sent to their account's previous installation (`from`), and writes them at the present one (`to`).
 * Rejects messages that cannot be written. `whose`: SQL condition on `departed_messages` m; `values`: its parameters. May be repeated,
 * because duplicates are recognised. Returns the number of messages.
 */
async function forwardKept(
  { from, to }: { from: Pool; to: Pool },
  { whose, values }: { whose: string; values: readonly unknown[] },
  taking: IngestSettings,
): Promise<number> {
  const writer = createReadingBatchWriter(to, taking);
  // Raw SQL: the table is a queue. Only messages that existed at the start are read, because new ones may keep arriving.
  const { rows: last } = await from.query('SELECT coalesce(max(place), 0) AS id FROM departed_messages');
  for (let forwarded = 0; ; ) {
    const { rows } = await from.query(
      `SELECT place, topic, payload, received_at, replayed FROM departed_messages m
       WHERE ${whose} AND place <= ${last[0].id} ORDER BY place LIMIT ${PAGE}`,
      [...values],
    );
    if (rows.length === 0) return forwarded;
    const messages = rows.flatMap(
      ({ topic, payload, received_at, replayed }) =>
        createIncomingMessage({ topic, payload, receivedAtMs: received_at.getTime(), replayed }) ?? [],
    );
    await writeOrRejectMessages(writer, messages);
    await from.query('DELETE FROM departed_messages WHERE place = ANY ($1)', [rows.map(({ place }) => place)]);
    forwarded += rows.length;
  }
}

/**
 * For accounts that have returned to this installation: writes the messages that their devices sent here meanwhile, and deletes the records
 * of the departure.
 */
export async function writeMessagesOfReturnedAccounts(pool: Pool, taking: IngestSettings): Promise<void> {
  const RETURNED =
    'login IN (SELECT login FROM departed_logins l WHERE NOT EXISTS (SELECT FROM departures d WHERE d.user_id = l.user_id))';
  await forwardKept({ from: pool, to: pool }, { whose: RETURNED, values: [] }, taking);
  await pool.query(
    `DELETE FROM departed_logins WHERE ${RETURNED} AND NOT EXISTS (SELECT FROM departed_messages m WHERE m.login = departed_logins.login)`,
  );
}

/**
 * Forwards messages that arrived at the source for moved accounts, and writes messages that arrived at the target for returned accounts.
 * Removes messages of erased accounts. Returns the numbers of written and removed messages.
 */
export async function forwardStoredMessages({ source, target }: SourceAndTargetInstallations, taking: IngestSettings) {
  await writeMessagesOfReturnedAccounts(target.pool, taking);
  const removed = await forgetErased({ source, target });
  const whose = `login IN (SELECT login FROM departed_logins JOIN departures USING (user_id) WHERE to_installation = $1 AND left_at IS NOT NULL)`;
  const values = [target.id];
  return { forwarded: await forwardKept({ from: source.pool, to: target.pool }, { whose, values }, taking), removed };
}

/** Removes the stored messages of accounts that no longer exist at the target. Returns their number. */
async function forgetErased({ source, target }: SourceAndTargetInstallations): Promise<number> {
  const { rows } = await source.pool.query(
    `SELECT DISTINCT user_id AS id FROM departed_logins JOIN departures USING (user_id)
     WHERE to_installation = $1 AND left_at IS NOT NULL`,
    [target.id],
  );
  const { rows: gone } = await target.pool.query(
    `SELECT id FROM unnest($1::text[]) u (id)
     WHERE NOT EXISTS (SELECT FROM users WHERE user_id = id) AND NOT EXISTS (SELECT FROM departures WHERE user_id = id)`,
    [rows.map(({ id }) => id)],
  );
  if (gone.length === 0) return 0;
  return runInTransaction(source.pool, async (client) => {
    const theirs = 'SELECT login FROM departed_logins WHERE user_id = ANY ($1)';
    const ids = [gone.map(({ id }) => id)];
    const { rowCount } = await client.query(`DELETE FROM departed_messages WHERE login IN (${theirs})`, ids);
    await client.query('DELETE FROM departed_logins WHERE user_id = ANY ($1)', ids);
    return rowCount ?? 0;
  });
}
