import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '#src/api/context.ts';
import { countSignIn } from '#src/api/plugins/rate-limits.ts';
import { type Browser, browserOf, knownBrowser, newBrowser } from '#src/auth/browsers.ts';
import { personOf } from '#src/auth/oidc/person.ts';
import { type Provider, ProviderUnavailable, SignInRefused } from '#src/auth/oidc/provider.ts';
import { signInAs } from '#src/auth/oidc/sign-in.ts';
import { networkOf, type RequestCounter } from '#src/auth/request-counter.ts';
import { SESSION_MS } from '#src/auth/sessions.ts';
import type { OidcConfig } from '#src/config/oidc.ts';
import { AppError } from '#src/core/errors.ts';
import { recordAct } from '#src/users/audit.ts';
import {
  BROWSER_COOKIES,
  BROWSER_MS,
  COOKIES,
  cookieOf,
  PROVIDER_COOKIES,
  setCookie,
  setProviderCookie,
} from './cookies.ts';
import type { SignInProblem } from './shapes.ts';

/** The provider, as it is configured and asked. */
export interface Oidc {
  config: OidcConfig;
  provider: Provider;
}

interface Parts {
  oidc: Oidc;
  /** The installation's. */
  secret: string;
  counter: RequestCounter;
  publicUrl(): string;
}

/** How long somebody may take at the provider. */
const BEGUN_FOR_MS = 10 * 60_000;
/** Where providers send people back to. */
const CALLBACK = '/dashboard/sign-in/callback';
const SIGN_IN = '/dashboard/sign-in';
const HOME = '/dashboard';

/** What a browser keeps while it is at the provider: sealed, so that it is our word, and nobody reads it. */
const kept = z.strictObject({
  is: z.literal('sign-in at the provider'),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
  browserId: z.string(),
  untilMs: z.number(),
});
type Kept = z.infer<typeof kept>;

interface Ended {
  opened: { secret: string; email: string };
  browser: Browser;
  returnTo: string;
}

/**
 * `POST /dashboard/sign-in/provider`: where to go to sign in (a page of another site can cause no such request, since its body is JSON), and
 * `GET /dashboard/sign-in/callback`, which the provider sends people back to: it opens a session, or leads to the page to sign in
 * and why. Nothing of a sign-in is stored here while it is under way: the browser that began it has it, sealed, in a cookie, and no
 * other browser can end it.
 */
export function addProviderSignIn(app: FastifyInstance, context: ApiContext, parts: Parts): void {
  const { db, clock, environment, box } = context;
  const { secret, counter, publicUrl } = parts;
  const { config, provider } = parts.oidc;
  const redirectUri = () => publicUrl() + CALLBACK;

  app.post('/dashboard/sign-in/provider', async (request, reply) => {
    const { return_to } = (request.body ?? {}) as { return_to?: unknown };
    try {
      const { location, begun } = await provider.begin(redirectUri());
      const browser = browserOf(cookieOf(request, BROWSER_COOKIES[environment])) ?? newBrowser();
      const untilMs = clock().getTime() + BEGUN_FOR_MS;
      const is = 'sign-in at the provider';
      const keeps: Kept = { is, ...begun, returnTo: pageOf(return_to), browserId: browser.id, untilMs };
      const sealed = box.seal(JSON.stringify(keeps)).toString('base64url');
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
    const begun = begunBy(request);
    const ended = begun ? await end(request, begun).catch((error) => failed(request, error)) : 'over';
    if (typeof ended === 'string') {
      // Without a sign-in that was begun here it is nobody's doing that is to be noted.
      if (begun && ended !== 'many') await noteRefusal(request, ended);
      return reply.status(303).header('Set-Cookie', over).header('Location', `${SIGN_IN}?problem=${ended}`).send();
    }
    const { opened, browser } = ended;
    reply.header('Set-Cookie', [
      over,
      setCookie(COOKIES[environment], opened.secret, SESSION_MS),
      setCookie(BROWSER_COOKIES[environment], knownBrowser(secret, browser, opened.email), BROWSER_MS),
    ]);
    return reply.status(303).header('Location', ended.returnTo).send();
  });

  /** The sign-in that this browser began; null where there is none, it is over, or it is another's. */
  function begunBy(request: FastifyRequest): Kept | null {
    const sealed = cookieOf(request, PROVIDER_COOKIES[environment], 2_000);
    if (sealed === undefined) return null;
    try {
      const keeps = kept.parse(JSON.parse(box.open(Buffer.from(sealed, 'base64url'))));
      return keeps.untilMs > clock().getTime() ? keeps : null;
    } catch {
      return null;
    }
  }

  async function end(request: FastifyRequest, begun: Kept): Promise<Ended | SignInProblem> {
    // Each may be a question to the provider, and is noted: as many as of another way to sign in.
    await countSignIn(counter, networkOf(request.ip));
    const at = new URL(redirectUri());
    at.search = new URL(request.url, at).search;
    // Another sign-in than the one that this browser began: nothing of it is asked for.
    if (at.searchParams.get('state') !== begun.state) return 'over';
    const person = personOf(await provider.finish(at, begun), config);
    if (typeof person === 'string') return person;
    const opened = await signInAs(db, person, {
      now: clock(),
      from: { userAgent: request.headers['user-agent'] ?? null, address: request.ip },
      createsAccounts: config.createsAccounts,
    });
    if (typeof opened === 'string') return opened;
    const browser: Browser = { id: begun.browserId, proof: null };
    return { opened, browser, returnTo: begun.returnTo };
  }

  function failed(request: FastifyRequest, error: Error): SignInProblem {
    if (error instanceof AppError && error.is === 'tooManyRequests') return 'many';
    if (error instanceof SignInRefused && error.reason === 'access_denied') return 'denied';
    const isKnown = error instanceof SignInRefused || error instanceof ProviderUnavailable;
    const told = isKnown ? { issuer: config.issuer, why: error.message } : { err: error };
    request.log.warn(told, 'sign-in by OpenID Connect failed');
    return error instanceof ProviderUnavailable ? 'unavailable' : 'failed';
  }

  async function noteRefusal(request: FastifyRequest, reason: SignInProblem): Promise<void> {
    const details = { by: 'provider', reason };
    const act = { actor: null, address: request.ip, action: 'session.refused', target: null, details };
    await recordAct(db, act).catch((error: Error) => request.log.error({ err: error }, 'a refusal was not noted'));
  }
}

/** A page of the dashboard to go to afterwards: a plain path of ours, or home. Nothing that a browser could take for another host. Pure. */
export function pageOf(path: unknown): string {
  const isOurs = typeof path === 'string' && /^\/dashboard(\/[\w-]+)*$/.test(path) && path.length <= 200;
  return isOurs && path !== SIGN_IN && path !== CALLBACK ? path : HOME;
}
