import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '#src/auth/authenticate.ts';
import { AppError } from '#src/core/errors.ts';
import type { SecretBox } from '#src/core/secrets.ts';
import type { Database } from '#src/database/connect.ts';
import { findAnswer, type IdempotentRequest, lockIdempotencyKey, storeAnswer } from '#src/users/idempotent-answers.ts';

/** Permitted keys: visible characters. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Runs a POST once for its Idempotency-Key (draft-ietf-httpapi-idempotency-key-header). A repetition of the request gets the first
 * response. A different request under the same key gets 409, and so does a repetition while the first is under way. The key of another API
 * key of the account is a different one. The response is committed with the request's changes, so a request that failed or was cut off
 * leaves no trace and may be repeated.
 */
export async function runIdempotently(
  { db, box }: { db: Database; box: SecretBox },
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller,
  run: () => Promise<{ status: number; answer: unknown }>,
): Promise<{ status: number; answer: unknown }> {
  const keyed = keyedRequest(request, caller);
  if (!keyed) return run();
  // Requests that only read have no transaction, and may run twice concurrently.
  if (db.isTransaction && !(await lockIdempotencyKey(db, keyed))) throw new AppError('idempotencyUnderWay');
  const known = await findAnswer(db, box, keyed);
  if (known.is === 'another request') throw new AppError('idempotencyKeyReused');
  if (known.is === 'answered') {
    reply.header('Idempotent-Replayed', 'true');
    return { status: known.status, answer: JSON.parse(known.body) };
  }
  const done = await run();
  await storeAnswer(db, box, keyed, { status: done.status, body: JSON.stringify(done.answer) });
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

/** Sorts the members of every object in JSON, because their order has no meaning (RFC 8259, section 4). */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  // Entries instead of an object: an object would put digits first among its names, and treats `__proto__` specially.
  return { members: members.map(([name, member]) => [name, inOrder(member)]) };
}
