import type { FastifyRequest } from 'fastify';
import type { ApiContext } from '#src/api/context.ts';
import { negotiateLanguage } from '#src/api/tables/accept.ts';
import type { Caller } from '#src/auth/authenticate.ts';
import { findSession, isCsrfToken, type SignedInFrom } from '#src/auth/sessions.ts';
import { AppError } from '#src/core/errors.ts';
import { COOKIES, cookieValueOf } from './cookies.ts';

/** Returns the caller whose session the request's cookie names. Throws 401 if it names none. */
export async function callerOf(context: ApiContext, request: FastifyRequest): Promise<Caller> {
  const caller = await sessionOf(context, request);
  if (!caller) throw new AppError('unauthorized');
  request.caller = caller;
  return caller;
}

/** Returns the session that the request's cookie names. Null if it names none. */
export async function sessionOf(
  { db, clock, environment }: ApiContext,
  request: FastifyRequest,
): Promise<Caller | null> {
  const secret = cookieValueOf(request, COOKIES[environment]);
  return secret === undefined ? null : findSession(db, secret, clock());
}

/** Throws 403 if a changing request does not come from a page of the dashboard. */
export function checkCsrf(secret: string, request: FastifyRequest, sessionId: string): void {
  if (!isCsrfToken(secret, sessionId, request.headers['x-csrf-token'])) throw new AppError('forbidden');
}

/** Returns the details of a sign-in from the request that ends it. */
export const signInDetailsOf = ({ headers, ip }: FastifyRequest): SignedInFrom => ({
  userAgent: headers['user-agent'] ?? null,
  address: ip,
  language: negotiateLanguage(headers['accept-language'] ?? ''),
});
