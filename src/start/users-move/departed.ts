import { writeOrRefuse } from '#ingest/batch-writer.ts';
import { toIncoming } from '#ingest/incoming.ts';
import { createWriter } from '#ingest/write/writer.ts';
import type { Pool } from '#src/database/connect.ts';
import { inTransaction } from '#src/database/transaction.ts';
import type { Both } from './ends.ts';

/** Messages that are written in one transaction. */
const PAGE = 200;

/** How readings are taken: as the ingest of this installation does (`Config`). */
export interface Taking {
  retentionMonths: number;
  maxChannels: number;
}

/**
 * Writes what devices sent to the installation that their accounts had left, where the accounts are now: like messages that came there, also in that one which
 * cannot be written is refused by itself.
 * `whose`: which logins, a condition of `departed_messages` m with its values. What was written before a kill is written again, and known. Returns
 * how many messages.
 */
async function forwardKept(
  { from, to }: { from: Pool; to: Pool },
  { whose, values }: { whose: string; values: readonly unknown[] },
  taking: Taking,
): Promise<number> {
  const writer = createWriter(to, taking);
  // Raw SQL: a queue of messages, in their order; as far as it goes now: more may come faster than it is written.
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
        toIncoming({ topic, payload, receivedAtMs: received_at.getTime(), replayed }) ?? [],
    );
    await writeOrRefuse(writer, messages);
    await from.query('DELETE FROM departed_messages WHERE place = ANY ($1)', [rows.map(({ place }) => place)]);
    forwarded += rows.length;
  }
}

/** What devices of accounts that are here again sent meanwhile is written, and it is forgotten that they were away. */
export async function forgetReturned(pool: Pool, taking: Taking): Promise<void> {
  const RETURNED =
    'login IN (SELECT login FROM departed_logins l WHERE NOT EXISTS (SELECT FROM departures d WHERE d.user_id = l.user_id))';
  await forwardKept({ from: pool, to: pool }, { whose: RETURNED, values: [] }, taking);
  await pool.query(
    `DELETE FROM departed_logins WHERE ${RETURNED} AND NOT EXISTS (SELECT FROM departed_messages m WHERE m.login = departed_logins.login)`,
  );
}

/** What of departed accounts was kept here. */
export interface Forwarded {
  /** Messages that were written at the target. */
  forwarded: number;
  /** Messages that were removed: their accounts were erased at the target since. */
  removed: number;
}

/**
 * Writes at the target what came here for accounts that are there; and what came there once, while they were here. Of those that were erased there
 * nothing is kept any more.
 */
export async function forward({ source, target }: Both, taking: Taking): Promise<Forwarded> {
  await forgetReturned(target.pool, taking);
  const removed = await forgetErased({ source, target });
  const whose = `login IN (SELECT login FROM departed_logins JOIN departures USING (user_id) WHERE to_installation = $1 AND left_at IS NOT NULL)`;
  const values = [target.id];
  return { forwarded: await forwardKept({ from: source.pool, to: target.pool }, { whose, values }, taking), removed };
}

/** Ends it for accounts that are gone from the target, and did not move on from there. Answers how many messages of theirs were removed. */
async function forgetErased({ source, target }: Both): Promise<number> {
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
  return inTransaction(source.pool, async (client) => {
    const theirs = 'SELECT login FROM departed_logins WHERE user_id = ANY ($1)';
    const ids = [gone.map(({ id }) => id)];
    const { rowCount } = await client.query(`DELETE FROM departed_messages WHERE login IN (${theirs})`, ids);
    await client.query('DELETE FROM departed_logins WHERE user_id = ANY ($1)', ids);
    return rowCount ?? 0;
  });
}
