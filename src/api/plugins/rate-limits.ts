import type { FastifyReply } from 'fastify';
import { type Decision, networkOf, type RequestCounter } from '#src/auth/request-counter.ts';
import { AppError } from '#src/core/errors.ts';

/**
 * Adds the headers with the account's policy and its remaining requests (draft-ietf-httpapi-ratelimit-headers) to every counted response.
 */
function tellLimits(reply: FastifyReply, { windows }: Decision): void {
  if (!windows) return;
  const { minute, day } = windows;
  reply.header('RateLimit-Policy', `"minute";q=${minute.limit};w=60, "day";q=${day.limit};w=86400`);
  reply.header(
    'RateLimit',
    `"minute";r=${minute.left};t=${minute.resetsInSeconds}, "day";r=${day.left};t=${day.resetsInSeconds}`,
  );
}

/** Counts a request of an account. Throws 429 if its plan is used up. */
export async function countRequest(counter: RequestCounter, reply: FastifyReply, userId: string): Promise<void> {
  const decision = await counter.take(userId);
  tellLimits(reply, decision);
  if (!decision.allowed) throw new AppError('tooManyRequests', { retryAfterSeconds: decision.retryAfterSeconds });
}

/** Throws 429 if an account was suspended after its request was counted, which happens before its body arrives. */
export async function refuseSuspended(counter: RequestCounter, userId: string): Promise<void> {
  const waitSeconds = await counter.suspendedForSeconds(userId);
  if (waitSeconds > 0) throw new AppError('tooManyRequests', { retryAfterSeconds: Math.ceil(waitSeconds) });
}

/** Counts a failed authentication of an address. Throws 429 if it has failed too often. */
export async function countFailure(counter: RequestCounter, address: string): Promise<void> {
  await countAddress(counter, networkOf(address));
}

/**
 * Counts a sign-in request of a network, or of a known browser. Failed keys are counted separately, so that a program with an old key locks
 * no person out.
 */
export async function countSignIn(counter: RequestCounter, who: string): Promise<void> {
  await countAddress(counter, `sign-in ${who}`);
}

async function countAddress(counter: RequestCounter, counted: string): Promise<void> {
  const decision = await counter.take(`addr:${counted}`);
  if (!decision.allowed) throw new AppError('tooManyRequests', { retryAfterSeconds: decision.retryAfterSeconds });
}
