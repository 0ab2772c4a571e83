import type { Logger } from '#src/core/log.ts';
import { type Loop, startLoop } from '#src/core/loop.ts';
import type { Pool } from '#src/database/connect.ts';
import { inTransaction } from '#src/database/transaction.ts';
import type { UnreadMessages } from './unread.ts';

/** How often gateways are looked for whose counts wait: a meter that speaks once an hour must not wait for its next message. */
const LOOK_MS = 2_000;
/** Most gateways of a transaction: their rows are locked in it. */
const MAX_GATEWAYS = 100;

/** Writes counts that no batch of their gateways has written, until it is stopped. */
export const startSavingUnread = (pool: Pool, unread: UnreadMessages, log: Logger): Loop =>
  startLoop('unread messages', () => saveUnread(pool, unread), LOOK_MS, log);

/**
 * Writes what is due of some gateways, in a transaction of its own; answers of how many. `isLast`: of those, too, that were written a moment ago. Where it fails, what was
 * counted of them is lost.
 */
export async function saveUnread(pool: Pool, unread: UnreadMessages, isLast = false): Promise<number> {
  const ids = unread.due(isLast).slice(0, MAX_GATEWAYS);
  if (ids.length === 0) return 0;
  const left = new Set(ids);
  try {
    await inTransaction(pool, async (client) => {
      // Raw SQL: as in hear.ts: gateways are locked in one order, by their ids. One that was deleted is not there.
      const { rows } = await client.query(
        'SELECT gateway_id FROM gateways WHERE gateway_id = ANY ($1) ORDER BY gateway_id FOR NO KEY UPDATE',
        [ids],
      );
      for (const { gateway_id } of rows) left.delete(gateway_id);
      await unread.save(
        client,
        rows.map(({ gateway_id }) => gateway_id),
        isLast,
      );
    });
  } catch (error) {
    unread.forget(ids);
    throw error;
  }
  unread.forget(left);
  return ids.length;
}
