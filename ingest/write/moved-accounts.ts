import type { PoolClient } from '#src/database/connect.ts';
import type { IncomingMessage } from '../message.ts';
import { type BatchStatement, createBatchStatement } from './statement.ts';

/** Of the given unknown devices or gateways, returns those whose accounts moved to another installation. */
export async function findMovedLogins(client: PoolClient, logins: readonly string[]): Promise<ReadonlySet<string>> {
  if (logins.length === 0) return NONE;
  // Raw SQL: one statement takes any number of names. This query must run after the query for the devices. A move closes an account in one
  // transaction, so that a device which the earlier query no longer found is listed here.
  const { rows } = await client.query('SELECT login FROM departed_logins WHERE login = ANY ($1)', [logins]);
  return rows.length === 0 ? NONE : new Set(rows.map(({ login }) => login));
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Stores messages of moved accounts whole and unchanged. Their number is not limited, because the senders get an acknowledgement. `energy
 * migrate --users` writes these messages in the installation to which the accounts moved.
 */
export function saveMessagesOfMovedAccounts(messages: readonly IncomingMessage[]): BatchStatement[] {
  if (messages.length === 0) return [];
  const text = `INSERT INTO departed_messages (login, received_at, topic, payload, replayed)
     SELECT login, to_timestamp(at_ms / 1000.0), topic, payload, replayed
     FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bytea[], $5::boolean[]) WITH ORDINALITY s (login, at_ms, topic, payload, replayed, place)
     ORDER BY place`;
  const values = [
    messages.map(({ decoded }) => decoded.deviceId),
    messages.map(({ receivedAtMs }) => receivedAtMs),
    // Replaces NUL, because PostgreSQL would reject a row with NUL at every attempt. The service's own topics contain no NUL.
    messages.map(({ topic }) => topic.replaceAll('\0', '\uFFFD')),
    messages.map(({ payload }) => payload),
    messages.map(({ replayed }) => replayed ?? false),
  ];
  return [createBatchStatement({ text, values })];
}
