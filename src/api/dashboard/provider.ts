import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '#src/api/context.ts';
import { countSignInRequest } from '#src/api/plugins/rate-limits.ts';
import {
  type BrowserIdentity,
  createBrowserCookie,
  createBrowserIdentity,
  parseBrowserCookie,
} from '#src/auth/browsers.ts';
import { parseIdentifiedPerson } from '#src/auth/oidc/person.ts';
import { type Provider, ProviderUnavailableError, SignInRefusedError } from '#src/auth/oidc/provider.ts';
import { signInIdentifiedPerson } from '#src/auth/oidc/sign-in.ts';
import { getNetworkOfAddress, type RequestCounter } from '#src/auth/request-counter.ts';
import { DASHBOARD_SESSION_LIFETIME_MS } from '#src/auth/sessions.ts';
import type { OidcConfig } from '#src/config/oidc.ts';
import { prefixWithCell } from '#src/core/cell.ts';
import { AppError } from '#src/core/errors.ts';
import { recordAuditedAction } from '#src/users/audit.ts';
import {
  BROWSER_COOKIE_LIFETIME_MS,
  BROWSER_COOKIE_NAMES,
  formatSetCookie,
  formatSetProviderCookie,
  getSignInOrigin,
  PROVIDER_COOKIE_NAMES,
  parseCookieValue,
  SESSION_COOKIE_NAMES,
} from './caller.ts';
import type { SignInProblem } from './shapes.ts';

export interface SignInProvider {
  config: OidcConfig;
  provider: Provider;
}

interface Parts {
  oidc: SignInProvider;
  secret: string;
  counter: RequestCounter;
  publicUrl(): string;
}

/** Maximum time in ms that a person may need to sign in at the provider. */
const BEGUN_FOR_MS = 10 * 60_000;
/** Path to which providers redirect people after the sign-in. */
const CALLBACK = '/dashboard/sign-in/callback';
const SIGN_IN = '/dashboard/sign-in';
const HOME = '/dashboard';

/** State of a pending sign-in. An encrypted cookie stores it while the person is at the provider. */
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
  browser: BrowserIdentity;
  returnTo: string;
}

/**
 * Adds `POST /dashboard/sign-in/provider`, which returns the provider's address for signing in, and `GET
 * /dashboard/sign-in/callback`, to which the provider redirects people. The callback opens a session, or redirects to the sign-in
 * page with the reason of the failure. Only the browser that began a sign-in can complete it.
 */
export function addProviderSignIn(app: FastifyInstance, context: ApiContext, parts: Parts): void {
  const signIns = new ProviderSignIns(context, parts);
  app.post('/dashboard/sign-in/provider', (request, reply) => signIns.begin(request, reply));
  app.get(CALLBACK, (request, reply) => signIns.complete(request, reply));
}

class ProviderSignIns {
  readonly #context: ApiContext;
  readonly #parts: Parts;

  constructor(context: ApiContext, parts: Parts) {
    this.#context = context;
    this.#parts = parts;
  }

  async begin(request: FastifyRequest, reply: FastifyReply) {
    const { clock, environment, box } = this.#context;
    const { config, provider } = this.#parts.oidc;
    const { return_to } = (request.body ?? {}) as { return_to?: unknown };
    try {
      const { location, pending } = await provider.begin(this.#redirectUri());
      const browser =
        parseBrowserCookie(parseCookieValue(request, BROWSER_COOKIE_NAMES[environment])) ?? createBrowserIdentity();
      const untilMs = clock().getTime() + BEGUN_FOR_MS;
      const is = 'sign-in at the provider';
      const keeps: Kept = { is, ...pending, returnTo: getPageAfterSignIn(return_to), browserId: browser.id, untilMs };
      // The name of this cell (one of several installations) lets the router send the provider's redirect back to this cell.
      const sealed = prefixWithCell(box.seal(JSON.stringify(keeps)).toString('base64url'));
      reply.header('Set-Cookie', formatSetProviderCookie(PROVIDER_COOKIE_NAMES[environment], sealed, BEGUN_FOR_MS));
      return { location };
    } catch (error) {
      if (!(error instanceof ProviderUnavailableError)) throw error;
      request.log.warn({ issuer: config.issuer, why: error.message }, 'the OpenID Connect provider cannot be asked');
      throw new AppError('unavailable');
    }
  }

  async complete(request: FastifyRequest, reply: FastifyReply) {
    const { environment } = this.#context;
    const over = formatSetProviderCookie(PROVIDER_COOKIE_NAMES[environment], '', 0);
    const pending = this.#begunBy(request);
    const ended = pending ? await this.#end(request, pending).catch((error) => this.#failed(request, error)) : 'over';
    if (typeof ended === 'string') {
      // A failed sign-in is recorded only if this browser had begun it.
      if (pending && ended !== 'many') await this.#noteRefusal(request, ended);
      return reply.status(303).header('Set-Cookie', over).header('Location', `${SIGN_IN}?problem=${ended}`).send();
    }
    const { opened, browser } = ended;
    const known = createBrowserCookie(this.#parts.secret, browser, opened.email);
    reply.header('Set-Cookie', [
      over,
      formatSetCookie(SESSION_COOKIE_NAMES[environment], opened.secret, DASHBOARD_SESSION_LIFETIME_MS),
      formatSetCookie(BROWSER_COOKIE_NAMES[environment], known, BROWSER_COOKIE_LIFETIME_MS),
    ]);
    return reply.status(303).header('Location', ended.returnTo).send();
  }

  #redirectUri(): string {
    return this.#parts.publicUrl() + CALLBACK;
  }

  /** Returns the pending sign-in that this browser began. Null if there is none, or if it has expired. */
  #begunBy(request: FastifyRequest): Kept | null {
    const { clock, environment, box } = this.#context;
    const sealed = parseCookieValue(request, PROVIDER_COOKIE_NAMES[environment], 2_000);
    if (sealed === undefined) return null;
    try {
      const ours = sealed.slice(sealed.indexOf('.') + 1);
      const keeps = pendingSignIn.parse(JSON.parse(box.open(Buffer.from(ours, 'base64url'))));
      return keeps.untilMs > clock().getTime() ? keeps : null;
    } catch {
      return null;
    }
  }

  async #end(request: FastifyRequest, pending: Kept): Promise<Ended | SignInProblem> {
    const { db, clock } = this.#context;
    const { counter, oidc } = this.#parts;
    // Each callback counts as a sign-in attempt, because it may cause a request to the provider and an audit entry.
    await countSignInRequest(counter, getNetworkOfAddress(request.ip));
    const at = new URL(this.#redirectUri());
    at.search = new URL(request.url, at).search;
    // If the redirect's parameter `state` is not that of the sign-in that this browser began, no request is sent to the provider.
    if (at.searchParams.get('state') !== pending.state) return 'over';
    const person = parseIdentifiedPerson(await oidc.provider.finish(at, pending), oidc.config);
    if (typeof person === 'string') return person;
    const from = getSignInOrigin(request);
    const opened = await signInIdentifiedPerson(db, person, {
      now: clock(),
      from,
      createsAccounts: oidc.config.createsAccounts,
    });
    if (typeof opened === 'string') return opened;
    const browser: BrowserIdentity = { id: pending.browserId, proof: null };
    return { opened, browser, returnTo: pending.returnTo };
  }

  #failed(request: FastifyRequest, error: Error): SignInProblem {
    if (error instanceof AppError && error.is === 'tooManyRequests') return 'many';
    if (error instanceof SignInRefusedError && error.reason === 'access_denied') return 'denied';
    const isKnown = error instanceof SignInRefusedError || error instanceof ProviderUnavailableError;
    const facts = isKnown ? { issuer: this.#parts.oidc.config.issuer, why: error.message } : { err: error };
    request.log.warn(facts, 'sign-in by OpenID Connect failed');
    return error instanceof ProviderUnavailableError ? 'unavailable' : 'failed';
  }

  async #noteRefusal(request: FastifyRequest, reason: SignInProblem): Promise<void> {
    const details = { by: 'provider', reason };
    const action = { actor: null, address: request.ip, action: 'session.refused', target: null, details };
    await recordAuditedAction(this.#context.db, action).catch((error: Error) =>
      request.log.error({ err: error }, 'a refusal was not noted'),
    );
  }
}

/**
 * Returns the page of the dashboard to open after signing in: `path` if it is a plain local path, otherwise the home page. Never
 * returns a path that a browser could interpret as another host.
 */
export function getPageAfterSignIn(path: unknown): string {
  const isOurs = typeof path === 'string' && /^\/dashboard(\/[\w-]+)*$/.test(path) && path.length <= 200;
  return isOurs && path !== SIGN_IN && path !== CALLBACK ? path : HOME;
}
