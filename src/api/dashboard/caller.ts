import type { FastifyRequest } from 'fastify';
import type { ApiContext } from '#src/api/context.ts';
import type { Caller } from '#src/auth/authenticate.ts';
import { findSession, isCsrfToken } from '#src/auth/sessions.ts';
import { AppError } from '#src/core/errors.ts';
import { COOKIES, cookieOf } from './cookies.ts';

/** Whose session the request's cookie names; 401 where it names none. */
export async function callerOf(context: ApiContext, request: FastifyRequest): Promise<Caller> {
  const caller = await sessionOf(context, request);
  if (!caller) throw new AppError('unauthorized');
  request.caller = caller;
  return caller;
}

/** The same; null where it names none. */
export async function sessionOf(
  { db, clock, environment }: ApiContext,
  request: FastifyRequest,
): Promise<Caller | null> {
  const secret = cookieOf(request, COOKIES[environment]);
  return secret === undefined ? null : findSession(db, secret, clock());
}

/** 403 where a request that changes something does not come from a page of ours. */
export function checkCsrf(secret: string, request: FastifyRequest, sessionId: string): void {
  if (!isCsrfToken(secret, sessionId, request.headers['x-csrf-token'])) throw new AppError('forbidden');
}
