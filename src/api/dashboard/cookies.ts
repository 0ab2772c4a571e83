import type { FastifyRequest } from 'fastify';
import type { Environment } from '#src/core/environment.ts';

/** Live and sandbox often share a host, and browsers tell cookies apart by host and path, not by port. */
export const COOKIES: Record<Environment, string> = {
  live: '__Secure-energy_session',
  sandbox: '__Secure-energy_sandbox_session',
};
/** Recognises a browser that signed in before, so that requests of strangers do not use up its limits (sign-in-limits.ts). */
export const BROWSER_COOKIES: Record<Environment, string> = {
  live: '__Secure-energy_browser',
  sandbox: '__Secure-energy_sandbox_browser',
};
/** Has a sign-in while its browser is at the provider. Of this host alone: no other can plant it. */
export const PROVIDER_COOKIES: Record<Environment, string> = {
  live: '__Host-energy_provider',
  sandbox: '__Host-energy_sandbox_provider',
};
export const BROWSER_MS = 365 * 86_400_000;
/** Sent to the dashboard's paths only, over TLS only, never from another site's page, and no script can read it. */
const ATTRIBUTES = 'Path=/dashboard; Secure; HttpOnly; SameSite=Strict';

/** Value of a cookie of ours that the request carries, of at most `longest` characters. */
export function cookieOf(request: FastifyRequest, name: string, longest = 100): string | undefined {
  return new RegExp(`(?:^|;\\s*)${name}=([\\w.-]{20,${longest}})(?:;|$)`).exec(request.headers.cookie ?? '')?.[1];
}

/** A `Set-Cookie` of ours; 0 ms removes it. */
export const setCookie = (name: string, value: string, maxAgeMs: number) =>
  `${name}=${value}; ${ATTRIBUTES}; Max-Age=${maxAgeMs / 1_000}`;

/** The same for a sign-in at a provider: it is sent, too, with the link by which another site leads back here (Lax). */
export const setProviderCookie = (name: string, value: string, maxAgeMs: number) =>
  `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${maxAgeMs / 1_000}`;
