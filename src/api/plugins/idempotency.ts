import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '#src/auth/authenticate.ts';
import { AppError } from '#src/core/errors.ts';
import type { SecretEncrypter } from '#src/core/secrets.ts';
import type { Database } from '#src/database/connect.ts';
import {
  claimIdempotencyKey,
  findIdempotentAnswer,
  type IdempotentRequest,
  lockIdempotencyKey,
  releaseIdempotencyKey,
  storeIdempotentAnswer,
} from '#src/users/idempotent-answers.ts';

/** Matches a valid Idempotency-Key: 1 to 255 visible ASCII characters. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Runs a POST only once for its Idempotency-Key. A repeated request gets the first response. Throws 409 if the key was used for a different
 * request, or if the first request is still in progress. The response is stored in the transaction of the changes, so a failed request can
 * be repeated.
 */
export async function runIdempotently(
  { db, box }: { db: Database; box: SecretEncrypter },
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller,
  run: () => Promise<{ status: number; answer: unknown }>,
): Promise<{ status: number; answer: unknown }> {
  const keyed = keyedRequest(request, caller);
  if (!keyed) return run();
  if (db.isTransaction && !(await lockIdempotencyKey(db, keyed))) throw new AppError('idempotencyUnderWay');
  const known = await findIdempotentAnswer(db, box, keyed);
  if (known.is === 'another request') throw new AppError('idempotencyKeyReused');
  if (known.is === 'under way') throw new AppError('idempotencyUnderWay');
  if (known.is === 'answered') {
    reply.header('Idempotent-Replayed', 'true');
    return { status: known.status, answer: JSON.parse(known.body) };
  }
  if (db.isTransaction) return runAndStore({ db, box }, keyed, run);
  // The request has no transaction of its own: it changes nothing, or its changes are committed with those of other requests.
  if (!(await claimIdempotencyKey(db, box, keyed))) throw new AppError('idempotencyUnderWay');
  try {
    return await runAndStore({ db, box }, keyed, run);
  } catch (error) {
    // If the database is unavailable, the claim of the Idempotency-Key expires later.
    await releaseIdempotencyKey(db, keyed).catch(() => {});
    throw error;
  }
}

async function runAndStore(
  { db, box }: { db: Database; box: SecretEncrypter },
  keyed: IdempotentRequest,
  run: () => Promise<{ status: number; answer: unknown }>,
): Promise<{ status: number; answer: unknown }> {
  const done = await run();
  await storeIdempotentAnswer(db, box, keyed, { status: done.status, body: JSON.stringify(done.answer) });
  return done;
}

function keyedRequest(request: FastifyRequest, { accountId, keyId }: Caller): IdempotentRequest | null {
  const key = request.headers['idempotency-key'];
  if (request.method !== 'POST' || key === undefined) return null;
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw new AppError('badRequest', {
      details: [{ field: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters without blanks' }],
    });
  }
  const sha256 = createHash('sha256')
    .update(`${request.url}\n${JSON.stringify(inOrder(request.body))}`)
    .digest();
  return { userId: accountId, callerId: keyId, key, sha256 };
}

/** Sorts the members of every object in JSON by name, because their order has no meaning (RFC 8259, section 4). */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  // Entries are used, because an object would reorder numeric names and treat `__proto__` specially.
  return { members: members.map(([name, member]) => [name, inOrder(member)]) };
}
