import type { Logger } from '#src/core/log.ts';
import { type Loop, startLoop } from '#src/core/loop.ts';
import type { Pool } from '#src/database/connect.ts';
import { inTransaction } from '#src/database/transaction.ts';
import type { UnrecognisedMessageCounter } from './unrecognised.ts';

/**
 * Interval at which pending counts are written, so that the counts of a meter that sends once an hour do not wait for
 * its next message.
 */
const LOOK_MS = 2_000;
/** Maximum number of gateways in a transaction, because it locks their rows. */
const MAX_GATEWAYS = 100;

/** Starts a loop that writes the counts that no batch of their gateways has written. */
export const startSavingUnrecognised = (pool: Pool, unread: UnrecognisedMessageCounter, log: Logger): Loop =>
  startLoop('unread messages', () => saveUnrecognised(pool, unread), LOOK_MS, log);

/**
 * Writes the due counts of some gateways in a transaction of its own. Returns the number of gateways. `isLast`: all
 * counts are due, even if the gateway's last write was a moment ago. If the transaction fails, its counts are lost.
 */
export async function saveUnrecognised(
  pool: Pool,
  unread: UnrecognisedMessageCounter,
  isLast = false,
): Promise<number> {
  const ids = unread.due(isLast).slice(0, MAX_GATEWAYS);
  if (ids.length === 0) return 0;
  const remainingIds = new Set(ids);
  try {
    await inTransaction(pool, async (client) => {
      // Raw SQL: gateways are locked in the order of their ids, as in receive.ts. A deleted gateway has no row.
      const { rows } = await client.query(
        'SELECT gateway_id FROM gateways WHERE gateway_id = ANY ($1) ORDER BY gateway_id FOR NO KEY UPDATE',
        [ids],
      );
      for (const { gateway_id } of rows) remainingIds.delete(gateway_id);
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
  unread.forget(remainingIds);
  return ids.length;
}
