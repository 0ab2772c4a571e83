import { toIncoming } from '#ingest/incoming.ts';
import { writeOrRefuse } from '#ingest/refusal.ts';
import { createWriter } from '#ingest/write/writer.ts';
import type { Pool } from '#src/database/connect.ts';
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
 * `whose`: which logins, a condition of `stray_messages` s with its values. What was written before a kill is written again, and known. Returns
 * how many messages.
 */
async function forwardStrays(
  { from, to }: { from: Pool; to: Pool },
  { whose, values }: { whose: string; values: readonly unknown[] },
  taking: Taking,
): Promise<number> {
  const writer = createWriter(to, taking);
  // Raw SQL: a queue of messages, in their order; as far as it goes now: more may come faster than it is written.
  const { rows: last } = await from.query('SELECT coalesce(max(stray_id), 0) AS id FROM stray_messages');
  for (let forwarded = 0; ; ) {
    const { rows } = await from.query(
      `SELECT stray_id, topic, payload, received_at, replayed FROM stray_messages s
       WHERE ${whose} AND stray_id <= ${last[0].id} ORDER BY stray_id LIMIT ${PAGE}`,
      [...values],
    );
    if (rows.length === 0) return forwarded;
    const messages = rows.flatMap(
      ({ topic, payload, received_at, replayed }) =>
        toIncoming({ topic, payload, receivedAtMs: received_at.getTime(), replayed }) ?? [],
    );
    await writeOrRefuse(writer, messages);
    await from.query('DELETE FROM stray_messages WHERE stray_id = ANY ($1)', [rows.map(({ stray_id }) => stray_id)]);
    forwarded += rows.length;
  }
}

/** What devices of accounts that are here again sent meanwhile is written, and it is forgotten that they were away. */
export async function forgetReturned(pool: Pool, taking: Taking): Promise<void> {
  const RETURNED =
    'login IN (SELECT login FROM departed_logins l WHERE NOT EXISTS (SELECT FROM departures d WHERE d.user_id = l.user_id))';
  await forwardStrays({ from: pool, to: pool }, { whose: RETURNED, values: [] }, taking);
  await pool.query(
    `DELETE FROM departed_logins WHERE ${RETURNED} AND NOT EXISTS (SELECT FROM stray_messages s WHERE s.login = departed_logins.login)`,
  );
}

/** Writes at the target what came here for accounts that are there; and what came there once, while they were here. */
export async function forward({ source, target }: Both, taking: Taking): Promise<number> {
  await forgetReturned(target.pool, taking);
  const whose = `login IN (SELECT login FROM departed_logins JOIN departures USING (user_id) WHERE to_installation = $1 AND left_at IS NOT NULL)`;
  return forwardStrays({ from: source.pool, to: target.pool }, { whose, values: [target.id] }, taking);
}
