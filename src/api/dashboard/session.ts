import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ApiContext, BrokerAddress } from '#src/api/context.ts';
import { textField } from '#src/api/fields.ts';
import { isSelfSigned } from '#src/api/plugins/certificate.ts';
import { countSignInRequest } from '#src/api/plugins/rate-limits.ts';
import { negotiateLanguage } from '#src/api/tables/accept.ts';
import { userToResponse } from '#src/api/v1/users/shape.ts';
import { createBrowserCookie, createBrowserIdentity, isKnownBrowser, parseBrowserCookie } from '#src/auth/browsers.ts';
import { findAccountOfPasskey, getPasskeySite, signInByPasskey } from '#src/auth/passkeys.ts';
import { getNetworkOfAddress, type RequestCounter } from '#src/auth/request-counter.ts';
import { runAsCaller } from '#src/auth/run-as-caller.ts';
import { APP_SCOPE_NAMES, SCOPES } from '#src/auth/scopes.ts';
import {
  closeSession,
  closeUserSessionsAndEmailChanges,
  createCsrfToken,
  DASHBOARD_SESSION_LIFETIME_MS,
  findSignInMethod,
  type SignInOrigin,
} from '#src/auth/sessions.ts';
import {
  confirmEmailChange,
  createSignIn,
  findAccountOfEmail,
  findAccountOfSignIn,
  SIGN_IN_VALIDITY_MS,
  type SignIn,
  type SignInRequester,
  signIn,
} from '#src/auth/sign-ins.ts';
import { AppError, createUnprocessableError } from '#src/core/errors.ts';
import { createId } from '#src/core/ids.ts';
import type { Language } from '#src/delivery/words/words.ts';
import { recordAuditedAction } from '#src/users/audit.ts';
import { findUser } from '#src/users/store.ts';
import {
  authenticateCaller,
  BROWSER_COOKIE_LIFETIME_MS,
  BROWSER_COOKIE_NAMES,
  checkCsrf,
  findSessionOfRequest,
  formatSetCookie,
  getSignInOrigin,
  parseCookieValue,
  SESSION_COOKIE_NAMES,
} from './caller.ts';
import { signedPasskeySchema } from './passkeys.ts';
import type { SignInProvider } from './provider.ts';

/** Minimum duration in ms of a failed sign-in, so that the duration does not reveal whether the account exists. */
const FAILURE_MS = 250;

/** Dependencies of the sign-in routes, in addition to `ApiContext`. */
export interface SignInDependencies {
  /** Secret of the installation, with which tokens are signed. */
  secret: string;
  counter: RequestCounter;
  mqtt: BrokerAddress;
  /** URL at which clients reach the service. */
  publicUrl(): string;
  /** Identity provider for signing in. Users can also sign in by mail. */
  oidc?: SignInProvider | undefined;
  /** Returns the TLS certificate that is currently used. */
  certificate(): Buffer;
  /** Sends a mail with a link and a code for signing in. */
  mail(to: string, signIn: SignIn, language: Language): Promise<void>;
}

const email = z.strictObject({ email: z.email().max(254) });
const proof = z.union([
  z.strictObject({ token: z.string().min(1).max(200) }),
  z.strictObject({ sign_in_id: z.string().min(1).max(100), code: z.string().max(100) }),
  z.strictObject({ sign_in_id: textField(100), passkey: signedPasskeySchema }),
]);

const emailProof = z.strictObject({ token: z.string().min(1).max(200) });
type Opened = { user_id: string; session_id: string; secret: string };

/**
 * Adds the routes of sessions: confirming a changed address, requesting a sign-in mail, opening, returning and ending a session,
 * and creating a link that signs in another device.
 */
export function addSessionRoutes(app: FastifyInstance, context: ApiContext, parts: SignInDependencies): void {
  const sessions = new SessionRoutes(context, parts);
  app.post('/dashboard/sign-in', (request, reply) => sessions.requestSignIn(request, reply));
  app.post('/dashboard/session', (request, reply) => sessions.signIn(request, reply));
  app.post('/dashboard/email', (request, reply) => sessions.confirmEmail(request, reply));
  app.get('/dashboard/session', (request) => sessions.describe(request));
  app.post('/dashboard/session/link', (request, reply) => sessions.createLink(request, reply));
  app.delete('/dashboard/session', (request, reply) => sessions.signOut(request, reply));
}

class SessionRoutes {
  readonly #context: ApiContext;
  readonly #parts: SignInDependencies;
  readonly #provider: { provider?: string };

  constructor(context: ApiContext, parts: SignInDependencies) {
    this.#context = context;
    this.#parts = parts;
    this.#provider = parts.oidc ? { provider: parts.oidc.provider.label } : {};
  }

  async requestSignIn(request: FastifyRequest, reply: FastifyReply) {
    const { environment } = this.#context;
    const asked = email.safeParse(request.body);
    if (!asked.success) throw createUnprocessableError({ field: 'email', message: 'must be an e-mail address' });
    const { email: address } = asked.data;
    const known = parseBrowserCookie(parseCookieValue(request, BROWSER_COOKIE_NAMES[environment]));
    const browser = known ?? createBrowserIdentity();
    const network = getNetworkOfAddress(request.ip);
    const isKnown = isKnownBrowser(this.#parts.secret, browser, address);
    await countSignInRequest(this.#parts.counter, isKnown ? browser.id : network);
    if (!known)
      reply.header(
        'Set-Cookie',
        formatSetCookie(BROWSER_COOKIE_NAMES[environment], browser.id, BROWSER_COOKIE_LIFETIME_MS),
      );
    const signInId = createId('sgn');
    // The response is sent before the account is looked up, so that it does not reveal whether the account exists.
    const wanted = negotiateLanguage(request.headers['accept-language'] ?? '');
    void this.#sendTo({ address, wanted }, signInId, { browserId: browser.id, isKnown, network }).catch(
      (error: Error) => request.log.error({ err: error }, 'sign-in mail not sent'),
    );
    return reply.status(202).send({ sign_in_id: signInId });
  }

  async signIn(request: FastifyRequest, reply: FastifyReply) {
    const { counter } = this.#parts;
    const signInProof = proof.safeParse(request.body);
    if (!signInProof.success)
      throw createUnprocessableError({ field: 'body', message: 'must have token, or sign_in_id and code or passkey' });
    const network = getNetworkOfAddress(request.ip);
    // An attempt with a code or a passkey is counted before it is checked, because codes can be guessed. An attempt with a token
    // is counted only if it fails.
    if (!('token' in signInProof.data)) await countSignInRequest(counter, network);
    const begunMs = performance.now();
    const opened = await this.#signInBy(signInProof.data, getSignInOrigin(request));
    if (opened) return this.#enter(request, reply, opened);
    if ('token' in signInProof.data) await countSignInRequest(counter, network);
    const details = 'passkey' in signInProof.data ? { by: 'passkey' } : {};
    await this.#recordRefusal(request, begunMs, await this.#accountTried(signInProof.data), details);
    const [field] = Object.keys(signInProof.data).slice(-1);
    throw createUnprocessableError({
      field: field ?? 'code',
      message: 'is wrong, expired or already used; request a new one',
    });
  }

  async confirmEmail(request: FastifyRequest, reply: FastifyReply) {
    const { db, clock } = this.#context;
    const { secret, counter } = this.#parts;
    const parsedProof = emailProof.safeParse(request.body);
    if (!parsedProof.success) throw createUnprocessableError({ field: 'body', message: 'must have token' });
    const begunMs = performance.now();
    const options = { secret, now: clock(), from: getSignInOrigin(request) };
    const opened = await confirmEmailChange(db, parsedProof.data.token, options);
    if (opened) return this.#enter(request, reply, opened);
    await countSignInRequest(counter, getNetworkOfAddress(request.ip));
    await this.#recordRefusal(request, begunMs, null, { by: 'the link of a changed address' });
    throw createUnprocessableError({
      field: 'token',
      message: 'is wrong, expired or already used; change the address again',
    });
  }

  async describe(request: FastifyRequest) {
    const caller = await findSessionOfRequest(this.#context, request);
    // A missing session is not an error: the page sends this request to find out whether the browser is signed in.
    if (!caller) return { user: null, environment: this.#context.environment, ...this.#provider };
    return this.#signedIn(caller.userId, createCsrfToken(this.#parts.secret, caller.keyId));
  }

  /** Creates a link with which the same person can sign in on another device. It works once and for a short time. */
  async createLink(request: FastifyRequest, reply: FastifyReply) {
    const { secret, counter } = this.#parts;
    const { db, clock } = this.#context;
    const caller = await authenticateCaller(this.#context, request);
    checkCsrf(secret, request, caller.keyId);
    await countSignInRequest(counter, caller.userId);
    const [now, { userId, keyId }] = [clock(), caller];
    const made = await runAsCaller(db, caller, { now, named: [keyId] }, async (trx) => {
      await recordAuditedAction(trx, {
        actor: caller,
        address: request.ip,
        action: 'session.link_created',
        target: userId,
      });
      const options = { userId, secret, now, validMs: SIGN_IN_VALIDITY_MS, bySession: keyId, alone: true };
      return createSignIn(trx, options);
    });
    if (!made) throw new AppError('unauthorized');
    const expiresAt = new Date(now.getTime() + SIGN_IN_VALIDITY_MS).toISOString();
    return reply.status(201).send({ token: made.token, expires_at: expiresAt });
  }

  async signOut(request: FastifyRequest, reply: FastifyReply) {
    const { db, clock, environment } = this.#context;
    const caller = await authenticateCaller(this.#context, request);
    checkCsrf(this.#parts.secret, request, caller.keyId);
    const isByProvider = (await findSignInMethod(db, caller.keyId)) === 'provider';
    const isEverywhere = /[?&]everywhere=true(&|$)/.test(request.url);
    await runAsCaller(db, caller, { now: clock(), named: [caller.keyId] }, async (trx) => {
      const action = isEverywhere ? 'sessions.ended' : 'session.ended';
      const target = isEverywhere ? caller.userId : caller.keyId;
      await recordAuditedAction(trx, { actor: caller, address: request.ip, action, target });
      if (isEverywhere) await closeUserSessionsAndEmailChanges(trx, caller.userId);
      else await closeSession(trx, caller.userId, caller.keyId);
    });
    reply.header('Set-Cookie', formatSetCookie(SESSION_COOKIE_NAMES[environment], '', 0));
    // Also ends the session at the provider. Otherwise the next person at this browser could sign in with one click.
    const next = isByProvider
      ? await this.#parts.oidc?.provider.endOfSession(`${this.#parts.publicUrl()}/dashboard/sign-in`)
      : null;
    return { message: 'Signed out', ...(next ? { continue_at: next } : {}) };
  }

  async #signedIn(userId: string, csrf: string) {
    const { db, environment } = this.#context;
    const { mqtt, certificate } = this.#parts;
    const user = await findUser(db, { only: userId }, userId);
    if (!user) throw new AppError('unauthorized');
    return {
      user: userToResponse(user),
      csrf_token: csrf,
      environment,
      // Only the embedded broker uses this certificate. An external broker has a certificate of its own.
      mqtt: { ...mqtt, needs_certificate: mqtt.ports !== null && isSelfSigned(certificate()) },
      scopes: { keys: SCOPES, apps: APP_SCOPE_NAMES },
      ...this.#provider,
    };
  }

  /**
   * Sends a sign-in mail if the address has an account. `wanted`: the browser's language, for accounts to which nobody has signed
   * in yet.
   */
  async #sendTo(
    { address, wanted }: { address: string; wanted: Language | undefined },
    signInId: string,
    asker: SignInRequester,
  ): Promise<void> {
    const { db, clock } = this.#context;
    const { secret, mail } = this.#parts;
    const account = await findAccountOfEmail(db, address);
    if (!account) return;
    const options = { userId: account.user_id, secret, now: clock(), validMs: SIGN_IN_VALIDITY_MS, signInId, asker };
    const made = await createSignIn(db, options);
    if (!made) return;
    const language = account.signed_in_at === null ? (wanted ?? account.language) : account.language;
    await mail(account.email, made, language);
  }

  #signInBy(given: z.output<typeof proof>, from: SignInOrigin): Promise<Opened | null> {
    const { db, clock } = this.#context;
    const { secret, publicUrl } = this.#parts;
    const now = clock();
    if ('token' in given) return signIn(db, given, { secret, now, from });
    const signInId = given.sign_in_id;
    if ('passkey' in given) {
      const site = getPasskeySite(publicUrl());
      return signInByPasskey(db, { signInId, response: given.passkey }, { site, now, from });
    }
    return signIn(db, { signInId, code: given.code.replaceAll(/\D/g, '') }, { secret, now, from });
  }

  /** Returns the account for which a refused sign-in was attempted, for the audit log. Null if the account is unknown. */
  async #accountTried(given: z.output<typeof proof>): Promise<string | null> {
    if ('token' in given) return null;
    if ('passkey' in given) return findAccountOfPasskey(this.#context.db, given.passkey.id);
    return findAccountOfSignIn(this.#context.db, given.sign_in_id);
  }

  /**
   * Records a refused sign-in. Resolves at the earliest `FAILURE_MS` after the sign-in began, so that all failed sign-ins take
   * the same time.
   */
  async #recordRefusal(
    { ip }: FastifyRequest,
    begunMs: number,
    target: string | null,
    details: Record<string, string>,
  ): Promise<void> {
    const action = { actor: null, address: ip, action: 'session.refused', target, details };
    await recordAuditedAction(this.#context.db, action);
    await setTimeout(Math.max(0, begunMs + FAILURE_MS - performance.now()));
  }

  /** Responds to a successful sign-in: returns the opened session, and sets its cookies. */
  async #enter(request: FastifyRequest, reply: FastifyReply, opened: Opened) {
    const { environment } = this.#context;
    const { secret } = this.#parts;
    const answer = await this.#signedIn(opened.user_id, createCsrfToken(secret, opened.session_id));
    const browser =
      parseBrowserCookie(parseCookieValue(request, BROWSER_COOKIE_NAMES[environment])) ?? createBrowserIdentity();
    reply.header('Set-Cookie', [
      formatSetCookie(SESSION_COOKIE_NAMES[environment], opened.secret, DASHBOARD_SESSION_LIFETIME_MS),
      formatSetCookie(
        BROWSER_COOKIE_NAMES[environment],
        createBrowserCookie(secret, browser, answer.user.email),
        BROWSER_COOKIE_LIFETIME_MS,
      ),
    ]);
    return reply.status(201).send(answer);
  }
}
