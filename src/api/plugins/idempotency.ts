import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiContext } from '#src/api/operation.ts';
import { AppError } from '#src/core/errors.ts';
import { claim, giveUp, keepAnswer } from '#src/users/idempotent-answers.ts';

/** What a client may choose as a key: visible characters. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Runs a POST once for its Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): the same request again gets the first answer,
 * another one, or the same while it is under way, 409. A request that fails is not kept: it changed nothing.
 */
export async function once(
  context: Pick<ApiContext, 'db' | 'box'>,
  request: FastifyRequest,
  reply: FastifyReply,
  userId: string,
  run: () => Promise<{ status: number; answer: unknown }>,
): Promise<{ status: number; answer: unknown }> {
  const key = request.headers['idempotency-key'];
  if (request.method !== 'POST' || key === undefined) return run();
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw new AppError('badRequest', {
      details: [{ field: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters without blanks' }],
    });
  }
  const { db, box } = context;
  const sha256 = createHash('sha256')
    .update(`${request.url}\n${JSON.stringify(request.body)}`)
    .digest();
  const known = await claim(db, box, { userId, key, sha256 });
  if (known.is === 'another request') throw new AppError('idempotencyKeyReused');
  if (known.is === 'under way') throw new AppError('idempotencyUnderWay');
  if (known.is === 'answered') {
    reply.header('Idempotent-Replayed', 'true');
    return { status: known.status, answer: JSON.parse(known.body) };
  }
  let done: { status: number; answer: unknown };
  try {
    done = await run();
  } catch (error) {
    await giveUp(db, { userId, key }).catch(() => {});
    throw error;
  }
  await keepAnswer(db, box, { userId, key }, { status: done.status, body: JSON.stringify(done.answer) });
  return done;
}
