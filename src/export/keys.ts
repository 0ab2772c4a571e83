import type { Database } from '#src/database/connect.ts';
import { queryOf } from '#src/database/connect.ts';
import { OWNED } from '#src/database/owned.ts';

/** Keys that are asked for at once, and that rows are asked for at once. */
const KEYS_READ = 5_000;
const KEYS_USED = 100;

/** What rows of a person are found by. `sender`: who sends messages, a device or a gateway. */
export type Parent = 'sender' | keyof typeof OWNED;

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
