import { sql } from 'kysely';
import type { SecretBox } from '#src/core/secret-box.ts';
import type { Database } from '#src/database/connect.ts';

/** What is known of a request with this Idempotency-Key: it is ours to answer, or somebody has (or is at it, or differs). */
export type Claim =
  | { is: 'ours' }
  | { is: 'answered'; status: number; body: string }
  | { is: 'under way' }
  | { is: 'another request' };

/** Answers are kept for a day; a request that has not answered for a minute was cut off, and may be made again. */
const KEPT = '24 hours';
const CUT_OFF = '60 seconds';

/** Claims a key of an account for a request (its SHA-256): of any number of them at once one is told that it is its own. */
export async function claim(
  db: Database,
  box: SecretBox,
  request: { userId: string; key: string; sha256: Buffer },
): Promise<Claim> {
  const { userId, key, sha256 } = request;
  const { rows: ours } = await sql`
    INSERT INTO idempotent_answers AS a (user_id, idempotency_key, request_sha256) VALUES (${userId}, ${key}, ${sha256})
    ON CONFLICT (user_id, idempotency_key) DO UPDATE
      SET request_sha256 = excluded.request_sha256, status = NULL, body_sealed = NULL, created_at = now()
      WHERE a.created_at < now() - ${KEPT}::interval OR (a.status IS NULL AND a.created_at < now() - ${CUT_OFF}::interval)
    RETURNING 1`.execute(db);
  if (ours.length > 0) return { is: 'ours' };
  const known = await db
    .selectFrom('idempotent_answers')
    .select(['request_sha256', 'status', 'body_sealed'])
    .where('user_id', '=', userId)
    .where('idempotency_key', '=', key)
    .executeTakeFirst();
  // It was given up between the two statements: the client may try again.
  if (!known) return { is: 'under way' };
  if (!known.request_sha256.equals(sha256)) return { is: 'another request' };
  if (known.status === null || known.body_sealed === null) return { is: 'under way' };
  return { is: 'answered', status: known.status, body: box.open(known.body_sealed) };
}

/** Keeps the answer to a claimed request. Sealed: it may show a key or a password. */
export async function keepAnswer(
  db: Database,
  box: SecretBox,
  request: { userId: string; key: string },
  answer: { status: number; body: string },
): Promise<void> {
  await db
    .updateTable('idempotent_answers')
    .set({ status: answer.status, body_sealed: box.seal(answer.body) })
    .where('user_id', '=', request.userId)
    .where('idempotency_key', '=', request.key)
    .execute();
}

/** Gives a claim up: the request failed and changed nothing, so that the same key may try again. */
export async function giveUp(db: Database, request: { userId: string; key: string }): Promise<void> {
  await db
    .deleteFrom('idempotent_answers')
    .where('user_id', '=', request.userId)
    .where('idempotency_key', '=', request.key)
    .execute();
}

/** Forgets the answers that are older than a day. Returns how many. */
export async function forgetAnswers(db: Database): Promise<number> {
  const { numAffectedRows } =
    await sql`DELETE FROM idempotent_answers WHERE created_at < now() - ${KEPT}::interval`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
