import type { UsersMoveOptions } from '#src/start/users-move/move-users.ts';
import type { TestDatabase } from './database.ts';
import type { UserCredentials } from './full-installation.ts';

export const MOVE_SECRETS = { source: 'the secret of the tests', target: 'another secret' };
export const INGEST_SETTINGS = { retentionMonths: 13, maxChannels: 64 };

export const createMoveOptions = (
  accounts: readonly string[],
  options: Partial<UsersMoveOptions> = {},
): UsersMoveOptions => ({
  accounts,
  secrets: MOVE_SECRETS,
  taking: INGEST_SETTINGS,
  step: () => {},
  progress: () => {},
  ...options,
});

/** Turns the administrator and the home into two homeowners, because only homeowners may move. Returns their ids. */
export async function createMovableAccounts(
  { pool }: TestDatabase,
  { admin, webhookId }: UserCredentials,
): Promise<string[]> {
  await pool.query("UPDATE users SET role = 'homeowner' WHERE user_id = $1", [admin.userId]);
  await pool.query('DELETE FROM deliveries USING events e WHERE e.event_id = deliveries.event_id AND e.user_id <> $1', [
    admin.userId,
  ]);
  // An account can move only if its groups contain no home that stays.
  await pool.query('DELETE FROM group_members WHERE user_id <> $1', [admin.userId]);
  await pool.query(
    `WITH e AS (INSERT INTO events (event_id, type, user_id, data) SELECT 'evt_' || n, 'webhook.test', $1, '{"a": 1.50}' FROM generate_series(1, 3) n RETURNING event_id)
     INSERT INTO deliveries (delivery_id, event_id, webhook_id, target, next_attempt_at, created_at)
     SELECT 'dlv_' || event_id, event_id, $2, $2, now() + interval '1 day', now() FROM e`,
    [admin.userId, webhookId],
  );
  await pool.query('UPDATE webhooks SET catching_up_to = (SELECT max(place) FROM deliveries) - 1');
  const { rows } = await pool.query('SELECT DISTINCT user_id FROM devices');
  return rows.map(({ user_id }) => user_id);
}
