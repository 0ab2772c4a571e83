import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '#src/api/operation.ts';
import { isSelfSigned } from '#src/api/plugins/certificate.ts';
import { countSignIn, networkOf } from '#src/api/plugins/rate-limits.ts';
import { toWire } from '#src/api/v1/users/shape.ts';
import { actAs } from '#src/auth/act.ts';
import type { Caller } from '#src/auth/authenticate.ts';
import { browserOf, isKnownBrowser, knownBrowser, newBrowser } from '#src/auth/browsers.ts';
import type { RequestCounter } from '#src/auth/request-counter.ts';
import { closeSession, closeSessionsOf, csrfToken, findSession, isCsrfToken, SESSION_MS } from '#src/auth/sessions.ts';
import type { Asker } from '#src/auth/sign-in-limits.ts';
import { accountOf, createSignIn, MAILED_FOR_MS, type SignIn, signIn } from '#src/auth/sign-ins.ts';
import { AppError, unprocessable } from '#src/core/errors.ts';
import { newId } from '#src/core/ids.ts';
import { findUser } from '#src/users/store.ts';

/** A failed sign-in is answered no sooner than this, so that its duration does not tell whether the account exists. */
const FAILURE_MS = 250;

/** Where devices reach the broker. */
export interface BrokerAddress {
  host: string;
  /** Of the embedded broker; null where another one is used. */
  ports: { tls: number; plain: number } | null;
  /** Whether devices elsewhere may connect to the embedded broker without TLS, too. */
  is_plain_open: boolean;
}

/** What signing in needs beside the API's context. */
export interface SignInParts {
  /** The installation's. */
  secret: string;
  counter: RequestCounter;
  mqtt: BrokerAddress;
  /** The certificate in use. */
  certificate(): Buffer;
  /** Mails a way to sign in. */
  mail(to: string, signIn: SignIn): Promise<void>;
}

/** Live and sandbox often share a host, and browsers tell cookies apart by host and path, not by port. */
const COOKIES = { live: '__Secure-energy_session', sandbox: '__Secure-energy_sandbox_session' };
/** Recognises a browser that signed in before, so that requests of strangers do not use up its limits (sign-in-limits.ts). */
const BROWSER_COOKIES = { live: '__Secure-energy_browser', sandbox: '__Secure-energy_sandbox_browser' };
const BROWSER_MS = 365 * 86_400_000;
/** Sent to the dashboard's paths only, over TLS only, never from another site's page, and no script can read it. */
const ATTRIBUTES = 'Path=/dashboard; Secure; HttpOnly; SameSite=Strict';

const email = z.strictObject({ email: z.email().max(254) });
const proof = z.union([
  z.strictObject({ token: z.string().min(1).max(200) }),
  z.strictObject({ sign_in_id: z.string().min(1).max(100), code: z.string().max(100) }),
]);

/**
 * `POST /dashboard/sign-in`, and `POST`, `GET` and `DELETE /dashboard/session` (`?everywhere=true`: in every browser of the
 * account).
 */
export function addSession(app: FastifyInstance, context: ApiContext, parts: SignInParts): void {
  const { db, clock, environment } = context;
  const { secret, counter, mqtt } = parts;

  const signedIn = async (userId: string, csrf: string) => {
    const user = await findUser(db, { only: userId }, userId);
    if (!user) throw new AppError('unauthorized');
    // Another broker has a certificate of its own.
    const needsCertificate = mqtt.ports !== null && isSelfSigned(parts.certificate());
    const told = { ...mqtt, needs_certificate: needsCertificate };
    return { user: toWire(user), csrf_token: csrf, environment, mqtt: told };
  };

  app.post('/dashboard/sign-in', async (request, reply) => {
    const asked = email.safeParse(request.body);
    if (!asked.success) throw unprocessable({ field: 'email', message: 'must be an e-mail address' });
    const { email: address } = asked.data;
    const known = browserOf(cookieOf(request, BROWSER_COOKIES[environment]));
    const browser = known ?? newBrowser();
    const network = networkOf(request.ip);
    const isKnown = isKnownBrowser(secret, browser, address);
    await countSignIn(counter, isKnown ? browser.id : network);
    if (!known) reply.header('Set-Cookie', setCookie(BROWSER_COOKIES[environment], browser.id, BROWSER_MS));
    const signInId = newId('sgn');
    // The answer comes before anything is looked up: neither it nor its time tells whether there is such an account.
    void sendTo(address, signInId, { browserId: browser.id, isKnown, network }).catch((error: Error) =>
      request.log.error({ err: error }, 'sign-in mail not sent'),
    );
    return reply.status(202).send({ sign_in_id: signInId });
  });

  async function sendTo(address: string, signInId: string, asker: Asker): Promise<void> {
    const account = await accountOf(db, address);
    if (!account) return;
    const options = { userId: account.user_id, secret, now: clock(), validMs: MAILED_FOR_MS, signInId, asker };
    const made = await createSignIn(db, options);
    if (made) await parts.mail(account.email, made);
  }

  app.post('/dashboard/session', async (request, reply) => {
    const given = proof.safeParse(request.body);
    if (!given.success) throw unprocessable({ field: 'body', message: 'must have token, or sign_in_id and code' });
    const network = networkOf(request.ip);
    // Codes can be guessed: each is counted before it is looked at, so that nobody over the limit goes on.
    if ('code' in given.data) await countSignIn(counter, network);
    const begunMs = performance.now();
    const opened = await signIn(
      db,
      'token' in given.data
        ? given.data
        : { signInId: given.data.sign_in_id, code: given.data.code.replaceAll(/\D/g, '') },
      { secret, now: clock(), from: { userAgent: request.headers['user-agent'] ?? null, address: request.ip } },
    );
    if (!opened) {
      if ('token' in given.data) await countSignIn(counter, network);
      await setTimeout(Math.max(0, begunMs + FAILURE_MS - performance.now()));
      const [field] = Object.keys(given.data).slice(-1);
      throw unprocessable({ field: field ?? 'code', message: 'is wrong, was used, or is over; ask for a new one' });
    }
    const answer = await signedIn(opened.user_id, csrfToken(secret, opened.session_id));
    const browser = browserOf(cookieOf(request, BROWSER_COOKIES[environment])) ?? newBrowser();
    reply.header('Set-Cookie', [
      setCookie(COOKIES[environment], opened.secret, SESSION_MS),
      setCookie(BROWSER_COOKIES[environment], knownBrowser(secret, browser, answer.user.email), BROWSER_MS),
    ]);
    return reply.status(201).send(answer);
  });

  app.get('/dashboard/session', async (request) => {
    const caller = await sessionOf(context, request);
    // Not to be signed in is no mistake here: the page asks whether one is.
    if (!caller) return { user: null, environment };
    return signedIn(caller.userId, csrfToken(secret, caller.keyId));
  });

  app.delete('/dashboard/session', async (request, reply) => {
    const caller = await callerOf(context, request);
    checkCsrf(secret, request, caller.keyId);
    const isEverywhere = /[?&]everywhere=true(&|$)/.test(request.url);
    await actAs(db, caller, { now: clock(), named: [caller.keyId] }, async (trx) => {
      if (isEverywhere) await closeSessionsOf(trx, caller.userId);
      else await closeSession(trx, caller.userId, caller.keyId);
    });
    reply.header('Set-Cookie', setCookie(COOKIES[environment], '', 0));
    return { message: 'Signed out' };
  });
}

/** Whose session the request's cookie names; 401 where it names none. */
export async function callerOf(context: ApiContext, request: FastifyRequest): Promise<Caller> {
  const caller = await sessionOf(context, request);
  if (!caller) throw new AppError('unauthorized');
  request.caller = caller;
  return caller;
}

async function sessionOf({ db, clock, environment }: ApiContext, request: FastifyRequest): Promise<Caller | null> {
  const secret = cookieOf(request, COOKIES[environment]);
  return secret === undefined ? null : findSession(db, secret, clock());
}

function cookieOf(request: FastifyRequest, name: string): string | undefined {
  return new RegExp(`(?:^|;\\s*)${name}=([\\w.-]{20,100})(?:;|$)`).exec(request.headers.cookie ?? '')?.[1];
}

const setCookie = (name: string, value: string, maxAgeMs: number) =>
  `${name}=${value}; ${ATTRIBUTES}; Max-Age=${maxAgeMs / 1_000}`;

/** 403 where a request that changes something does not come from a page of ours. */
export function checkCsrf(secret: string, request: FastifyRequest, sessionId: string): void {
  if (!isCsrfToken(secret, sessionId, request.headers['x-csrf-token'])) throw new AppError('forbidden');
}
