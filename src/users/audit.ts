import { sql } from 'kysely';
import { newId } from '#src/core/ids.ts';
import { type Database, PREPARED } from '#src/database/connect.ts';
import { OWNED } from '#src/database/owned.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';

/** Something that somebody did. */
export interface Act {
  /** Who it was, by which key or session; null for an operator at the command line, or somebody who is not signed in. */
  actor: { userId: string; keyId: string } | null;
  /** Where it came from: an IP address, or `cli`; null if it follows from another act. */
  address: string | null;
  /** Noun and participle: `key.created`. */
  action: string;
  /** Id of what was changed. */
  target: string | null;
  /** Nothing that says something of a person: it outlives the account. */
  details?: Record<string, unknown>;
}

/** Whose something is; null where it is nobody's, or not there (any more). */
export async function ownerOf(db: Database, target: string): Promise<string | null> {
  const where = Object.values(OWNED).find(({ prefix }) => target.startsWith(`${prefix}_`));
  if (!where || target.includes('\0')) return null;
  // Raw SQL: the relation is named by the id.
  const { rows } = await sql<{ user_id: string }>`
    SELECT user_id FROM ${sql.table(where.relation)} WHERE ${sql.ref(where.key)} = ${target}`.execute(db);
  return rows[0]?.user_id ?? null;
}

/** Notes an act, in the transaction of what it changes. While its target is there: afterwards nobody knows whose it was. */
export async function recordAct(db: Database, { actor, address, action, target, details = {} }: Act): Promise<void> {
  await db
    .insertInto('audit_log')
    .values({
      audit_id: newId('aud'),
      actor_user_id: actor?.userId ?? null,
      actor_key_id: actor?.keyId ?? null,
      address,
      action,
      target,
      about_user_id: target === null ? null : await ownerOf(db, target),
      details: JSON.stringify(details),
    })
    .execute();
}

/** Notes the same act on many targets, of which is known whose they are (`about`), in one statement; in the transaction of what it changes. */
export async function recordActs(
  db: Database,
  { actor, address }: Pick<Act, 'actor' | 'address'>,
  action: string,
  targets: readonly { target: string; about: string }[],
): Promise<void> {
  if (targets.length === 0) return;
  await db
    .insertInto('audit_log')
    .values(
      targets.map(({ target, about }) => ({
        audit_id: newId('aud'),
        actor_user_id: actor?.userId ?? null,
        actor_key_id: actor?.keyId ?? null,
        address,
        action,
        target,
        about_user_id: about,
        details: '{}',
      })),
    )
    .execute();
}

/** So many acts back: of several at once the last to be committed need not be the last by its id. */
const LAST_ACTS = 10;

/** The numbers of the transactions (32 bits, as rows have them) of what an account did last, within a day. */
export async function lastActs(db: Database, userId: string): Promise<number[]> {
  // Raw SQL: the system column.
  const { rows } = await sql<{ number: number }>`${PREPARED} SELECT "number" FROM (
      SELECT xmin::text::bigint AS "number", at FROM audit_log WHERE actor_user_id = ${userId} ORDER BY audit_id DESC LIMIT ${LAST_ACTS}) last
    WHERE at > now() - interval '1 day'`.execute(db);
  return rows.map(({ number }) => number);
}

/** In place of an address. */
export const COMMAND_LINE = 'cli';

/** Changes something as an operator at the command line, and notes it, all of it or nothing. */
export async function runAsOperator<T>(
  db: Database,
  action: string,
  run: (trx: Database) => Promise<T>,
  targetOf: (done: T) => string | null,
): Promise<T> {
  return joinOrBeginTransaction(db, async (trx) => {
    const done = await run(trx);
    await recordAct(trx, { actor: null, address: COMMAND_LINE, action, target: targetOf(done) });
    return done;
  });
}

const COLUMNS = ['audit_id', 'at', 'actor_user_id', 'actor_key_id', 'address', 'action', 'target', 'details'] as const;

export type Audited = Awaited<ReturnType<typeof listAudit>>[number];

/** What was done, the latest first, before `cursor`; of `userId` what it did, and what was done to it. At most `limit`. With the addresses of accounts that are there. */
export async function listAudit(
  db: Database,
  { userId, limit, cursor }: { userId?: string; limit: number; cursor?: string },
) {
  let query = db
    .selectFrom('audit_log')
    .leftJoin('users as actor', 'actor.user_id', 'actor_user_id')
    .leftJoin('users as aim', 'aim.user_id', 'target')
    .select([...COLUMNS, 'actor.email as actor_email', 'aim.email as target_email'])
    .orderBy('audit_id', 'desc')
    .limit(limit);
  if (userId !== undefined)
    query = query.where(({ eb, or }) => or([eb('actor_user_id', '=', userId), eb('about_user_id', '=', userId)]));
  if (cursor !== undefined) query = query.where('audit_id', '<', cursor);
  return query.execute();
}

/**
 * Takes an account that is gone out of what was done by it and to it: all of one account have one new name, which leads nowhere.
 * That something was done, when, and by whom else, stays. In the transaction of the erasure, after the account.
 */
export async function forgetInAudit(trx: Database, userId: string): Promise<void> {
  const erased = newId('usr').replace('usr', 'erased');
  await trx
    .updateTable('audit_log')
    .set({ actor_user_id: erased, actor_key_id: null, address: null })
    .where('actor_user_id', '=', userId)
    .execute();
  await trx
    .updateTable('audit_log')
    .set({ about_user_id: erased, target: sql`CASE WHEN target = about_user_id THEN ${erased} END` })
    .where('about_user_id', '=', userId)
    .execute();
}

/** Removes what is older than 24 months; the database lets nothing else be removed. */
export async function forgetAudit(db: Database, now: Date): Promise<void> {
  await db.deleteFrom('audit_log').where(sql<boolean>`at < ${now}::timestamptz - interval '24 months'`).execute();
}
