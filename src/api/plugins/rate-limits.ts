import type { FastifyReply } from 'fastify';
import { type Decision, networkOf, type RequestCounter } from '#src/auth/request-counter.ts';
import { AppError } from '#src/core/errors.ts';

/** Names the account's policy and what is left of it (draft-ietf-httpapi-ratelimit-headers), on every answer that was counted. */
function tellLimits(reply: FastifyReply, { windows }: Decision): void {
  if (!windows) return;
  const { minute, day } = windows;
  reply.header('RateLimit-Policy', `"minute";q=${minute.limit};w=60, "day";q=${day.limit};w=86400`);
  reply.header(
    'RateLimit',
    `"minute";r=${minute.left};t=${minute.resetsInSeconds}, "day";r=${day.left};t=${day.resetsInSeconds}`,
  );
}

/** Counts a request of an account; 429 where its plan has no more. */
export async function countRequest(counter: RequestCounter, reply: FastifyReply, userId: string): Promise<void> {
  const decision = await counter.take(userId);
  tellLimits(reply, decision);
  if (!decision.allowed) throw new AppError('tooManyRequests', { retryAfterSeconds: decision.retryAfterSeconds });
}

/** 429 where an account has been suspended since its request was counted: that was before its body came. */
export async function refuseSuspended(counter: RequestCounter, userId: string): Promise<void> {
  const waitSeconds = await counter.suspendedForSeconds(userId);
  if (waitSeconds > 0) throw new AppError('tooManyRequests', { retryAfterSeconds: Math.ceil(waitSeconds) });
}

/** Counts a failed authentication of an address; 429 where it has failed too often. */
export async function countFailure(counter: RequestCounter, address: string): Promise<void> {
  await countAddress(counter, networkOf(address));
}

/**
 * Counts a request to sign in of a network, or of a browser that is known, apart from failed keys: a program with an old key
 * locks nobody out.
 */
export async function countSignIn(counter: RequestCounter, who: string): Promise<void> {
  await countAddress(counter, `sign-in ${who}`);
}

async function countAddress(counter: RequestCounter, counted: string): Promise<void> {
  const decision = await counter.take(`addr:${counted}`);
  if (!decision.allowed) throw new AppError('tooManyRequests', { retryAfterSeconds: decision.retryAfterSeconds });
}
