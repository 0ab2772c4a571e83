import type { PoolClient } from '#src/database/connect.ts';
import type { IncomingMessage } from '../message.ts';
import { type Step, statement } from './statement.ts';

/** Which of these devices or gateways, none of which is here, moved with their accounts into another installation. */
export async function movedLogins(client: PoolClient, logins: readonly string[]): Promise<ReadonlySet<string>> {
  if (logins.length === 0) return NONE;
  // Raw SQL: any number of names is one statement. After they were looked for: an account is closed in one transaction.
  const { rows } = await client.query('SELECT login FROM departed_logins WHERE login = ANY ($1)', [logins]);
  return rows.length === 0 ? NONE : new Set(rows.map(({ login }) => login));
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Stores messages of moved accounts, whole and as they came, and without a bound: they are acknowledged. `energy migrate --users` writes
 * them where the accounts are.
 */
export function saveForMovedAccounts(messages: readonly IncomingMessage[]): Step[] {
  if (messages.length === 0) return [];
  const text = `INSERT INTO departed_messages (login, received_at, topic, payload, replayed)
     SELECT login, to_timestamp(at_ms / 1000.0), topic, payload, replayed
     FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bytea[], $5::boolean[]) WITH ORDINALITY s (login, at_ms, topic, payload, replayed, place)
     ORDER BY place`;
  const values = [
    messages.map(({ decoded }) => decoded.deviceId),
    messages.map(({ receivedAtMs }) => receivedAtMs),
    // A topic of ours has none, but what PostgreSQL does not take would never be written.
    messages.map(({ topic }) => topic.replaceAll('\0', '\uFFFD')),
    messages.map(({ payload }) => payload),
    messages.map(({ replayed }) => replayed ?? false),
  ];
  return [statement({ text, values })];
}
