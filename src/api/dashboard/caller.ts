import type { FastifyRequest } from 'fastify';
import type { ApiContext } from '#src/api/context.ts';
import { negotiateLanguage } from '#src/api/tables/accept.ts';
import type { Caller } from '#src/auth/authenticate.ts';
import { findSession, isCsrfToken, type SignInOrigin } from '#src/auth/sessions.ts';
import type { Environment } from '#src/core/environment.ts';
import { AppError } from '#src/core/errors.ts';

/** Names of the session cookies. The live and the sandbox service need different names, because they often share a host. */
export const SESSION_COOKIE_NAMES: Record<Environment, string> = {
  live: '__Secure-energy_session',
  sandbox: '__Secure-energy_sandbox_session',
};
/** Names of the cookies that identify a browser which has signed in before. Such a browser has separate limits of sign-ins. */
export const BROWSER_COOKIE_NAMES: Record<Environment, string> = {
  live: '__Secure-energy_browser',
  sandbox: '__Secure-energy_sandbox_browser',
};
/**
 * Names of the cookies that store a pending sign-in while the person is at the identity provider. The prefix `__Host-` prevents other hosts
 * from setting them.
 */
export const PROVIDER_COOKIE_NAMES: Record<Environment, string> = {
  live: '__Host-energy_provider',
  sandbox: '__Host-energy_sandbox_provider',
};
export const BROWSER_COOKIE_LIFETIME_MS = 365 * 86_400_000;
/**
 * Attributes of the session cookies: only for the dashboard's paths, only over TLS, not for requests from other sites, and not
 * readable by scripts.
 */
const ATTRIBUTES = 'Path=/dashboard; Secure; HttpOnly; SameSite=Strict';

/** Returns the value of a cookie. Undefined if it is missing or has more than `longest` characters. */
export function parseCookieValue(request: FastifyRequest, name: string, longest = 100): string | undefined {
  return new RegExp(`(?:^|;\\s*)${name}=([\\w.-]{20,${longest}})(?:;|$)`).exec(request.headers.cookie ?? '')?.[1];
}

/** Returns a `Set-Cookie` header. If `maxAgeMs` is 0, the browser removes the cookie. */
export const formatSetCookie = (name: string, value: string, maxAgeMs: number) =>
  `${name}=${value}; ${ATTRIBUTES}; Max-Age=${maxAgeMs / 1_000}`;

/**
 * Returns a `Set-Cookie` header for a pending sign-in at a provider. SameSite=Lax: browsers also send this cookie when the
 * provider redirects to the dashboard.
 */
export const formatSetProviderCookie = (name: string, value: string, maxAgeMs: number) =>
  `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${maxAgeMs / 1_000}`;

/** Returns the caller that the session cookie of the request identifies. Throws 401 if there is no valid session. */
export async function authenticateCaller(context: ApiContext, request: FastifyRequest): Promise<Caller> {
  const caller = await findSessionOfRequest(context, request);
  if (!caller) throw new AppError('unauthorized');
  request.caller = caller;
  return caller;
}

/** Returns the session that the session cookie of the request identifies. Null if there is no valid session. */
export async function findSessionOfRequest(
  { db, clock, environment }: ApiContext,
  request: FastifyRequest,
): Promise<Caller | null> {
  const secret = parseCookieValue(request, SESSION_COOKIE_NAMES[environment]);
  return secret === undefined ? null : findSession(db, secret, clock());
}

/** Throws 403 if a request for a change does not come from a page of the dashboard. */
export function checkCsrf(secret: string, request: FastifyRequest, sessionId: string): void {
  if (!isCsrfToken(secret, sessionId, request.headers['x-csrf-token'])) throw new AppError('forbidden');
}

/** Returns the browser, address and language from which a request completes a sign-in. */
export const getSignInOrigin = ({ headers, ip }: FastifyRequest): SignInOrigin => ({
  userAgent: headers['user-agent'] ?? null,
  address: ip,
  language: negotiateLanguage(headers['accept-language'] ?? ''),
});
