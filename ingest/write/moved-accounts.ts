import type { PoolClient } from '#src/database/connect.ts';
import type { IncomingMessage } from '../message.ts';
import { type BatchStatement, createBatchStatement } from './statement.ts';

/** Returns those of the given logins whose accounts have moved to another installation. */
export async function findMovedLogins(client: PoolClient, logins: readonly string[]): Promise<ReadonlySet<string>> {
  if (logins.length === 0) return NONE;
  // Raw SQL: takes an array. Must run after the query for devices, because a move deletes the devices and lists their logins in one
  // transaction.
  const { rows } = await client.query('SELECT login FROM departed_logins WHERE login = ANY ($1)', [logins]);
  return rows.length === 0 ? NONE : new Set(rows.map(({ login }) => login));
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Stores messages of moved accounts unchanged. Their number is not limited, because their senders receive an acknowledgement. `energy
 * cells move` later delivers the messages to the other installation.
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
    // PostgreSQL cannot store NUL, and would reject the row at every attempt.
    messages.map(({ topic }) => topic.replaceAll('\0', '\uFFFD')),
    messages.map(({ payload }) => payload),
    messages.map(({ replayed }) => replayed ?? false),
  ];
  return [createBatchStatement({ text, values })];
}
