import { sql } from 'kysely';
import type { SecretEncrypter } from '#src/core/secrets.ts';
import { getAdvisoryLockId } from '#src/database/advisory-locks.ts';
import type { Database } from '#src/database/connect.ts';

/** A request with an Idempotency-Key: its caller, the key, and a SHA-256 of the request. */
export interface IdempotentRequest {
  /**
   * The account, and its key or session, for which a response is stored. Another key of the account may have fewer rights, so it
   * must not receive the response.
   */
  userId: string;
  callerId: string;
  key: string;
  sha256: Buffer;
}

/** State of a request with an Idempotency-Key: new, in progress, answered, or the key was used for a different request. */
type IdempotencyState =
  | { is: 'new' }
  | { is: 'under way' }
  | { is: 'answered'; status: number; body: string }
  | { is: 'another request' };

/** Time for which responses are stored, as an SQL interval. */
const KEPT = '24 hours';
/** Stored status of a request that is in progress outside a transaction (`claimIdempotencyKey`). */
const IN_PROGRESS = 0;
/** Time as an SQL interval after which a request in progress is considered dead. No request takes this long. */
const LAPSES_AFTER = '2 minutes';
const HAS_LAPSED = sql<boolean>`(idempotent_answers.status = ${IN_PROGRESS} AND idempotent_answers.created_at < now() - ${LAPSES_AFTER}::interval)`;
/**
 * Whether a stored response has not expired. Uses the earlier of the database's clock and the believed time (the installation's estimate of
 * the correct time), because an early expiry would run a repeated request twice.
 */
const IS_KEPT = sql<boolean>`idempotent_answers.created_at >= least(now(), (SELECT at FROM believed_time)) - ${KEPT}::interval`;

/** Locks an idempotency key until the transaction ends. Returns false if another request with this key is in progress in any process. */
export async function lockIdempotencyKey(trx: Database, { callerId, key }: IdempotentRequest): Promise<boolean> {
  // Raw SQL: the query builder has no function for an advisory lock.
  const { rows } = await sql<{ isMine: boolean }>`
    SELECT pg_try_advisory_xact_lock(${getAdvisoryLockId('idempotency key', callerId, key)}::bigint) AS "isMine"`.execute(
    trx,
  );
  return rows[0]?.isMine ?? false;
}

/** Returns the state of a request with an Idempotency-Key. */
export async function findIdempotentAnswer(
  db: Database,
  box: SecretEncrypter,
  request: IdempotentRequest,
): Promise<IdempotencyState> {
  const known = await db
    .selectFrom('idempotent_answers')
    .select(['request_sha256', 'status', 'body_sealed'])
    .where('caller_id', '=', request.callerId)
    .where('idempotency_key', '=', request.key)
    .where(IS_KEPT)
    .where((where) => where.not(HAS_LAPSED))
    .executeTakeFirst();
  if (!known) return { is: 'new' };
  if (!known.request_sha256.equals(request.sha256)) return { is: 'another request' };
  if (known.status === IN_PROGRESS) return { is: 'under way' };
  return { is: 'answered', status: known.status, body: box.open(known.body_sealed) };
}

/**
 * Claims an idempotency key for a request that runs outside a transaction. Returns false if another request has claimed the key.
 * The claim ends when the response is stored or `releaseIdempotencyKey` is called, at the latest after two minutes.
 */
export async function claimIdempotencyKey(
  db: Database,
  box: SecretEncrypter,
  { userId, callerId, key, sha256 }: IdempotentRequest,
): Promise<boolean> {
  const values = { user_id: userId, request_sha256: sha256, status: IN_PROGRESS, body_sealed: box.seal('') };
  const mine = await db
    .insertInto('idempotent_answers')
    .values({ caller_id: callerId, idempotency_key: key, ...values })
    .onConflict((conflict) =>
      conflict
        .columns(['caller_id', 'idempotency_key'])
        .doUpdateSet({ ...values, created_at: sql<Date>`now()` })
        .where((where) => where.or([where.not(IS_KEPT), HAS_LAPSED])),
    )
    .returning('caller_id')
    .executeTakeFirst();
  return mine !== undefined;
}

/** Ends the claim of a failed request, so that the request can be repeated. */
export async function releaseIdempotencyKey(db: Database, { callerId, key, sha256 }: IdempotentRequest): Promise<void> {
  await db
    .deleteFrom('idempotent_answers')
    .where('caller_id', '=', callerId)
    .where('idempotency_key', '=', key)
    .where('request_sha256', '=', sha256)
    .where('status', '=', IN_PROGRESS)
    .execute();
}

/**
 * Stores the response to a request, in the transaction of its change. The response is encrypted, because it may contain a key or a
 * password.
 */
export async function storeIdempotentAnswer(
  db: Database,
  box: SecretEncrypter,
  { userId, callerId, key, sha256 }: IdempotentRequest,
  answer: { status: number; body: string },
): Promise<void> {
  const values = { request_sha256: sha256, status: answer.status, body_sealed: box.seal(answer.body) };
  await db
    .insertInto('idempotent_answers')
    .values({ user_id: userId, caller_id: callerId, idempotency_key: key, ...values })
    .onConflict((conflict) =>
      conflict.columns(['caller_id', 'idempotency_key']).doUpdateSet({ ...values, created_at: sql<Date>`now()` }),
    )
    .execute();
}

/** Deletes stored responses that are older than a day. Returns the number of deleted responses. */
export async function deleteOldIdempotentAnswers(db: Database, now: Date): Promise<number> {
  const { numAffectedRows } =
    await sql`DELETE FROM idempotent_answers WHERE created_at < ${now}::timestamptz - ${KEPT}::interval`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
