import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '#src/api/context.ts';
import { countSignIn } from '#src/api/plugins/rate-limits.ts';
import { type Browser, browserCookieFor, newBrowser, parseBrowserCookie } from '#src/auth/browsers.ts';
import { personOf } from '#src/auth/oidc/person.ts';
import { type Provider, ProviderUnavailable, SignInRefused } from '#src/auth/oidc/provider.ts';
import { signInAs } from '#src/auth/oidc/sign-in.ts';
import { networkOf, type RequestCounter } from '#src/auth/request-counter.ts';
import { SESSION_MS } from '#src/auth/sessions.ts';
import type { OidcConfig } from '#src/config/oidc.ts';
import { withCell } from '#src/core/cell.ts';
import { AppError } from '#src/core/errors.ts';
import { recordAction } from '#src/users/audit.ts';
import {
  BROWSER_COOKIE_MS,
  BROWSER_COOKIES,
  COOKIES,
  cookieValueOf,
  PROVIDER_COOKIES,
  setCookie,
  setProviderCookie,
  signInDetailsOf,
} from './caller.ts';
import type { SignInProblem } from './shapes.ts';

/** The sign-in provider: its configuration and its client. */
export interface SignInProvider {
  config: OidcConfig;
  provider: Provider;
}

interface Parts {
  oidc: SignInProvider;
  /** Secret of the installation. */
  secret: string;
  counter: RequestCounter;
  publicUrl(): string;
}

/** Maximum time for a person to sign in at the provider. */
const BEGUN_FOR_MS = 10 * 60_000;
/** Path to which providers redirect people after the sign-in. */
const CALLBACK = '/dashboard/sign-in/callback';
const SIGN_IN = '/dashboard/sign-in';
const HOME = '/dashboard';

/**
 * State of a sign-in, which is in a cookie of the browser while the browser is at the provider. It is encrypted, so
 * that it can be neither forged nor read.
 */
const pendingSignIn = z.strictObject({
  is: z.literal('sign-in at the provider'),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
  browserId: z.string(),
  untilMs: z.number(),
});
type Kept = z.infer<typeof pendingSignIn>;

interface Ended {
  opened: { secret: string; email: string };
  browser: Browser;
  returnTo: string;
}

/**
 * Adds `POST /dashboard/sign-in/provider` and `GET /dashboard/sign-in/callback`. The first returns the provider's address for signing in
 * (another site's page cannot send it, because its body is JSON). The provider redirects people to the second, which opens a session, or
 * redirects to the sign-in page with the reason of the failure. The service stores nothing of a pending sign-in: the browser that began it
 * has the encrypted state in a cookie, and no other browser can complete it.
 */
export function addProviderSignIn(app: FastifyInstance, context: ApiContext, parts: Parts): void {
  const { db, clock, environment, box } = context;
  const { secret, counter, publicUrl } = parts;
  const { config, provider } = parts.oidc;
  const redirectUri = () => publicUrl() + CALLBACK;

  app.post('/dashboard/sign-in/provider', async (request, reply) => {
    const { return_to } = (request.body ?? {}) as { return_to?: unknown };
    try {
      const { location, pending } = await provider.begin(redirectUri());
      const browser = parseBrowserCookie(cookieValueOf(request, BROWSER_COOKIES[environment])) ?? newBrowser();
      const untilMs = clock().getTime() + BEGUN_FOR_MS;
      const is = 'sign-in at the provider';
      const keeps: Kept = { is, ...pending, returnTo: returnPageOf(return_to), browserId: browser.id, untilMs };
      // The router sends the provider's redirect to this cell by the cookie.
      const sealed = withCell(box.seal(JSON.stringify(keeps)).toString('base64url'));
      reply.header('Set-Cookie', setProviderCookie(PROVIDER_COOKIES[environment], sealed, BEGUN_FOR_MS));
      return { location };
    } catch (error) {
      if (!(error instanceof ProviderUnavailable)) throw error;
      request.log.warn({ issuer: config.issuer, why: error.message }, 'the OpenID Connect provider cannot be asked');
      throw new AppError('unavailable');
    }
  });

  app.get(CALLBACK, async (request, reply) => {
    const over = setProviderCookie(PROVIDER_COOKIES[environment], '', 0);
    const pending = begunBy(request);
    const ended = pending ? await end(request, pending).catch((error) => failed(request, error)) : 'over';
    if (typeof ended === 'string') {
      // A callback for which no sign-in was begun here is not recorded.
      if (pending && ended !== 'many') await noteRefusal(request, ended);
      return reply.status(303).header('Set-Cookie', over).header('Location', `${SIGN_IN}?problem=${ended}`).send();
    }
    const { opened, browser } = ended;
    reply.header('Set-Cookie', [
      over,
      setCookie(COOKIES[environment], opened.secret, SESSION_MS),
      setCookie(BROWSER_COOKIES[environment], browserCookieFor(secret, browser, opened.email), BROWSER_COOKIE_MS),
    ]);
    return reply.status(303).header('Location', ended.returnTo).send();
  });

  /** Returns the sign-in that this browser began. Null if there is none, it has expired, or another browser began it. */
  function begunBy(request: FastifyRequest): Kept | null {
    const sealed = cookieValueOf(request, PROVIDER_COOKIES[environment], 2_000);
    if (sealed === undefined) return null;
    try {
      const ours = sealed.slice(sealed.indexOf('.') + 1);
      const keeps = pendingSignIn.parse(JSON.parse(box.open(Buffer.from(ours, 'base64url'))));
      return keeps.untilMs > clock().getTime() ? keeps : null;
    } catch {
      return null;
    }
  }

  async function end(request: FastifyRequest, pending: Kept): Promise<Ended | SignInProblem> {
    // Counts against the limits of sign-ins, because each callback may cause a request to the provider and an audit
    // entry.
    await countSignIn(counter, networkOf(request.ip));
    const at = new URL(redirectUri());
    at.search = new URL(request.url, at).search;
    // The state belongs to another sign-in than the one that this browser began, so no request is sent to the provider.
    if (at.searchParams.get('state') !== pending.state) return 'over';
    const person = personOf(await provider.finish(at, pending), config);
    if (typeof person === 'string') return person;
    const opened = await signInAs(db, person, {
      now: clock(),
      from: signInDetailsOf(request),
      createsAccounts: config.createsAccounts,
    });
    if (typeof opened === 'string') return opened;
    const browser: Browser = { id: pending.browserId, proof: null };
    return { opened, browser, returnTo: pending.returnTo };
  }

  function failed(request: FastifyRequest, error: Error): SignInProblem {
    if (error instanceof AppError && error.is === 'tooManyRequests') return 'many';
    if (error instanceof SignInRefused && error.reason === 'access_denied') return 'denied';
    const isKnown = error instanceof SignInRefused || error instanceof ProviderUnavailable;
    const facts = isKnown ? { issuer: config.issuer, why: error.message } : { err: error };
    request.log.warn(facts, 'sign-in by OpenID Connect failed');
    return error instanceof ProviderUnavailable ? 'unavailable' : 'failed';
  }

  async function noteRefusal(request: FastifyRequest, reason: SignInProblem): Promise<void> {
    const details = { by: 'provider', reason };
    const act = { actor: null, address: request.ip, action: 'session.refused', target: null, details };
    await recordAction(db, act).catch((error: Error) => request.log.error({ err: error }, 'a refusal was not noted'));
  }
}

/**
 * Returns the page of the dashboard to open after signing in: a plain local path, otherwise the home page. Never
 * returns a path that a browser could interpret as another host. Pure.
 */
export function returnPageOf(path: unknown): string {
  const isOurs = typeof path === 'string' && /^\/dashboard(\/[\w-]+)*$/.test(path) && path.length <= 200;
  return isOurs && path !== SIGN_IN && path !== CALLBACK ? path : HOME;
}
