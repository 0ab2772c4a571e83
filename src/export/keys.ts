import type { Database } from '#src/database/connect.ts';
import { queryOf } from '#src/database/connect.ts';

/** Keys that are asked for at once, and that rows are asked for at once. */
const KEYS_READ = 5_000;
const KEYS_USED = 100;

/** Relations whose keys others hang on. */
const OWNED = {
  device: { relation: 'devices', key: 'device_id' },
  gateway: { relation: 'gateways', key: 'gateway_id' },
  alert: { relation: 'alerts', key: 'alert_id' },
  event: { relation: 'events', key: 'event_id' },
  webhook: { relation: 'webhooks', key: 'webhook_id' },
} as const;

/** What rows of a person are found by. `sender`: who sends messages, a device or a gateway. */
export type Parent = 'user' | 'sender' | keyof typeof OWNED;

/** The keys of what a person has of a kind, some at a time. */
export async function* keysOf(db: Database, userId: string, parent: Parent): AsyncGenerator<readonly string[]> {
  if (parent === 'user') yield [userId];
  else if (parent === 'sender') {
    yield* keysOf(db, userId, 'device');
    yield* keysOf(db, userId, 'gateway');
  } else yield* ownedBy(db, userId, OWNED[parent]);
}

async function* ownedBy(
  db: Database,
  userId: string,
  { relation, key }: { relation: string; key: string },
): AsyncGenerator<readonly string[]> {
  // Raw SQL: relations are those of a declaration.
  const text = `SELECT ${key} AS key FROM ${relation} WHERE user_id = $1 AND ${key} > $2 ORDER BY ${key} LIMIT ${KEYS_READ}`;
  for (let after = ''; ; ) {
    const { rows } = await queryOf(db)<{ key: string }>(text, [userId, after]);
    for (let from = 0; from < rows.length; from += KEYS_USED)
      yield rows.slice(from, from + KEYS_USED).map(({ key }) => key);
    const last = rows.at(-1);
    if (!last || rows.length < KEYS_READ) return;
    after = last.key;
  }
}
