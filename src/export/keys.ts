import type { Database } from '#src/database/connect.ts';
import { createQueryFunction } from '#src/database/connect.ts';
import { OWNER_RELATIONS_BY_ID_PREFIX } from '#src/database/owned.ts';

/** `KEYS_READ`: number of keys that one query reads. `KEYS_USED`: maximum number of keys in a yielded batch. */
const KEYS_READ = 5_000;
const KEYS_USED = 100;

/** Kind of key by which a person's rows are found. `sender`: a device or gateway that sends messages. */
export type OwnerKeyKind = 'sender' | keyof typeof OWNER_RELATIONS_BY_ID_PREFIX;

/** Yields the keys of one kind by which a person's rows are found, in batches. */
export async function* streamOwnerKeys(
  db: Database,
  userId: string,
  parent: OwnerKeyKind,
): AsyncGenerator<readonly string[]> {
  if (parent === 'user') yield [userId];
  else if (parent === 'sender') {
    yield* streamOwnerKeys(db, userId, 'device');
    yield* streamOwnerKeys(db, userId, 'gateway');
  } else yield* ownedBy(db, userId, OWNER_RELATIONS_BY_ID_PREFIX[parent]);
}

async function* ownedBy(
  db: Database,
  userId: string,
  { relation, key }: { relation: string; key: string },
): AsyncGenerator<readonly string[]> {
  // Raw SQL: the names of relations come from a declaration, not from input.
  const text = `SELECT ${key} AS key FROM ${relation} WHERE user_id = $1 AND ${key} > $2 ORDER BY ${key} LIMIT ${KEYS_READ}`;
  for (let after = ''; ; ) {
    const { rows } = await createQueryFunction(db)<{ key: string }>(text, [userId, after]);
    for (let from = 0; from < rows.length; from += KEYS_USED)
      yield rows.slice(from, from + KEYS_USED).map(({ key }) => key);
    const last = rows.at(-1);
    if (!last || rows.length < KEYS_READ) return;
    after = last.key;
  }
}
