import type { Logger } from '#src/core/log.ts';
import { pause } from '#src/core/loop.ts';
import type { Pool } from './connect.ts';

/**
 * Errors of a database that is unavailable or moved (SQLSTATE 08, 53, 57P, 25006), and conflicts of transactions (40). The caller should
 * retry.
 */
const UNAVAILABLE =
  /^(08|40|53|57P|25006)|^(ECONNREFUSED|ECONNRESET|ENOENT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPIPE|ETIMEDOUT)$/;
const UNAVAILABLE_MESSAGE =
  /connection (terminated|timeout)|timeout (expired|exceeded when trying to connect)|is not queryable|establishing an SSL connection|pool (has been|is) end/i;
/** SQLSTATE of a statement that exceeded its time limit. It would exceed the limit in another attempt, too. */
const STATEMENT_TIMEOUT = '57014';

/** Whether an error means that the database is unavailable, so that a later attempt may succeed. */
export const isDatabaseUnavailable = ({ code = '', message }: Error & { code?: string }): boolean =>
  code !== STATEMENT_TIMEOUT && (UNAVAILABLE.test(code) || UNAVAILABLE_MESSAGE.test(message));

const RETRY_MS = { first: 500, longest: 2_000 };
/** Maximum wait for a database in ms. */
const MAX_WAIT_MS = 300_000;

/**
 * Waits until the pool can connect, because machines and containers start in any order. Logs the reason for waiting. Throws the last error
 * after `maxWaitMs`. Throws at once if waiting is no remedy, for example for a wrong password.
 */
export async function waitForDatabase(
  pool: Pick<Pool, 'connect'>,
  log: Logger,
  signal: AbortSignal = new AbortController().signal,
  maxWaitMs = MAX_WAIT_MS,
): Promise<void> {
  const untilMs = performance.now() + maxWaitMs;
  let reason: string | undefined;
  for (let retryMs = RETRY_MS.first; ; retryMs = Math.min(2 * retryMs, RETRY_MS.longest)) {
    try {
      const client = await pool.connect();
      return client.release();
    } catch (error) {
      if (!isDatabaseUnavailable(error as Error) || performance.now() + retryMs > untilMs) throw error;
      const { message, code } = error as Error & { code?: string };
      // Node's error has no message if all addresses refused the connection.
      const next = message || code;
      if (next !== reason) log.warn({ reason: next }, 'waiting for the database (DATABASE_URL)');
      reason = next;
      await pause(retryMs, signal);
      signal.throwIfAborted();
    }
  }
}
