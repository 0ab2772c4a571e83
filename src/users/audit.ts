import { sql } from 'kysely';
import { createId } from '#src/core/ids.ts';
import { type Database, PREPARED_STATEMENT_PREFIX_SQL } from '#src/database/connect.ts';
import { OWNER_RELATIONS_BY_ID_PREFIX } from '#src/database/owned.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';

export interface AuditRecord {
  /** The account that acted, with its key or session; null for an operator at the command line or an anonymous caller. */
  actor: { userId: string; keyId: string } | null;
  /** Origin of the request: an IP address, or `cli`. Null if another action caused this action. */
  address: string | null;
  /** Name of the action: a noun and a participle, such as `key.created`. */
  action: string;
  /** Id of the changed object; null if the action changed no object. */
  target: string | null;
  /** Details of the action. They must contain no personal data, because the entry remains when the account is deleted. */
  details?: Record<string, unknown>;
}

export async function findOwnerOfObject(db: Database, target: string): Promise<string | null> {
  const where = Object.values(OWNER_RELATIONS_BY_ID_PREFIX).find(({ prefix }) => target.startsWith(`${prefix}_`));
  if (!where || target.includes('\0')) return null;
  // Raw SQL: the prefix of the id decides which table is queried.
  const { rows } = await sql<{ user_id: string }>`
    SELECT user_id FROM ${sql.table(where.relation)} WHERE ${sql.ref(where.key)} = ${target}`.execute(db);
  return rows[0]?.user_id ?? null;
}

/**
 * Records an action in the audit log, in the transaction of the change. Must be called while the target exists, because its owner
 * is looked up.
 */
export async function recordAuditedAction(db: Database, { target, ...act }: AuditRecord): Promise<void> {
  await insertActs(db, act, [{ target, about: target === null ? null : await findOwnerOfObject(db, target) }]);
}

/**
 * Records the same action for several targets, in the transaction of the change. `about`: id of the account that owns the
 * targets.
 */
export async function recordAuditedActions(
  db: Database,
  by: Pick<AuditRecord, 'actor' | 'address'>,
  action: string,
  targets: readonly { target: string; about: string }[],
): Promise<void> {
  if (targets.length > 0) await insertActs(db, { ...by, action }, targets);
}

const insertActs = (
  db: Database,
  { actor, address, action, details = {} }: Omit<AuditRecord, 'target'>,
  targets: readonly { target: string | null; about: string | null }[],
) =>
  db
    .insertInto('audit_log')
    .values(
      targets.map(({ target, about }) => ({
        audit_id: createId('aud'),
        actor_user_id: actor?.userId ?? null,
        actor_key_id: actor?.keyId ?? null,
        address,
        action,
        target,
        about_user_id: about,
        details: JSON.stringify(details),
      })),
    )
    .execute();

/**
 * Number of an account's latest actions to read, by id. One is not enough, because the action with the highest id is not always the last to
 * commit.
 */
const LAST_ACTS = 10;

/** Returns the ids (32 bits) of the PostgreSQL transactions that recorded an account's latest actions within a day. */
export async function findLatestTransactionIds(db: Database, userId: string): Promise<number[]> {
  // Raw SQL: the query builder does not know the system column xmin.
  const { rows } = await sql<{ number: number }>`${PREPARED_STATEMENT_PREFIX_SQL} SELECT "number" FROM (
      SELECT xmin::text::bigint AS "number", at FROM audit_log WHERE actor_user_id = ${userId} ORDER BY audit_id DESC LIMIT ${LAST_ACTS}) last
    WHERE at > now() - interval '1 day'`.execute(db);
  return rows.map(({ number }) => number);
}

/** Origin of actions at the command line, stored instead of an IP address. */
export const COMMAND_LINE_ACTOR = 'cli';

/** Runs a change for an operator at the command line, and records the change in the audit log in the same transaction. */
export async function runAsOperator<T>(
  db: Database,
  action: string,
  run: (trx: Database) => Promise<T>,
  targetOf: (done: T) => string | null,
): Promise<T> {
  return joinOrBeginTransaction(db, async (trx) => {
    const done = await run(trx);
    await recordAuditedAction(trx, { actor: null, address: COMMAND_LINE_ACTOR, action, target: targetOf(done) });
    return done;
  });
}

const COLUMNS = ['audit_id', 'at', 'actor_user_id', 'actor_key_id', 'address', 'action', 'target', 'details'] as const;

export type AuditLogEntry = Awaited<ReturnType<typeof listAudit>>[number];

/**
 * Returns at most `limit` audit entries before `cursor`, newest first. If `userId` is given, only actions by this account and on
 * its objects. Entries include the e-mail addresses of existing accounts.
 */
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
 * Replaces an erased account in the audit log by a random name that identifies nobody. Runs in the transaction of the erasure,
 * after the account's deletion.
 */
export async function anonymiseAuditLog(trx: Database, userId: string): Promise<void> {
  const erased = createId('usr').replace('usr', 'erased');
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

/** Deletes audit entries older than 24 months. The database permits no other deletion of audit entries. */
export async function deleteOldAuditEntries(db: Database, now: Date): Promise<void> {
  await db.deleteFrom('audit_log').where(sql<boolean>`at < ${now}::timestamptz - interval '24 months'`).execute();
}
