import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type Provider from 'oidc-provider';
import type { ApiContext } from '#src/api/context.ts';
import { findSessionOfRequest, formatSetCookie, SESSION_COOKIE_NAMES } from '#src/api/dashboard/caller.ts';
import { PLAIN_PAGE_SECURITY_POLICY } from '#src/api/plain-page.ts';
import { negotiateLanguage } from '#src/api/tables/accept.ts';
import { findOauthClientApp } from '#src/auth/apps.ts';
import type { Caller } from '#src/auth/authenticate.ts';
import { AUTHORIZATION_DAYS_BY_DURATION, createAuthorization } from '#src/auth/authorizations.ts';
import { runAsCaller } from '#src/auth/run-as-caller.ts';
import { closeSession, createCsrfToken, hasJustSignedIn, isCsrfToken } from '#src/auth/sessions.ts';
import { AppError } from '#src/core/errors.ts';
import { recordAuditedAction } from '#src/users/audit.ts';
import {
  AUTHORIZATION_DURATIONS,
  type ConsentRequest,
  createConsentPages,
  findGreenButtonScope,
  getRedirectUri,
  getRequestedScopes,
} from './consent-page.ts';
import type { OauthStore } from './store.ts';

interface Parts {
  secret: string;
  store: OauthStore;
  provider: () => Promise<Provider>;
}

/**
 * Adds the page on which the owner of a home authorizes an app. It has one form and no scripts, and cannot be embedded in a
 * frame. Only the home's own account can consent, within 15 minutes after signing in.
 */
export function addConsentRoutes(app: FastifyInstance, context: ApiContext, parts: Parts): void {
  const path = '/dashboard/consent/:uid';
  app.get(path, { exposeHeadRoute: false }, async (request, reply) => show(context, parts, request, reply));
  app.post(path, async (request, reply) => {
    const asked = await findAsked(context, parts, request);
    const pages = await pagesFor(request);
    if (!asked) return send(reply, 404, pages.over());
    const caller = await findSessionOfRequest(context, request);
    const formData = new URLSearchParams(typeof request.body === 'string' ? request.body : '');
    if (!caller || !isCsrfToken(parts.secret, tokenOf(caller, asked), formData.get('csrf') ?? ''))
      throw new AppError('forbidden');
    switch (formData.get('decision')) {
      case 'sign-out':
        await signOut(context, caller, request.ip);
        reply.header('Set-Cookie', formatSetCookie(SESSION_COOKIE_NAMES[context.environment], '', 0));
        return reply.redirect(`${request.url.split('?')[0]}?again`, 303);
      case 'deny': {
        const denied = { error: 'access_denied', error_description: 'the home did not let the app in' };
        return reply.redirect(await finish(parts, request, denied), 303);
      }
      case 'allow': {
        if ((await refusalOf(context, caller)) !== null) throw new AppError('forbidden');
        const until = AUTHORIZATION_DURATIONS.find((one) => one === formData.get('until'));
        if (until === undefined) throw new AppError('badRequest');
        const days = AUTHORIZATION_DAYS_BY_DURATION[until];
        return reply.redirect(await allow(context, parts, { asked, caller, days, request }), 303);
      }
      default:
        throw new AppError('badRequest');
    }
  });
}

const pagesFor = ({ headers }: FastifyRequest) =>
  createConsentPages(negotiateLanguage(headers['accept-language'] ?? '') ?? 'en');

/** Value for which a CSRF token is valid: the session and the request for consent. */
const tokenOf = ({ keyId }: Caller, { found }: ConsentRequest): string => `${keyId} ${found.uid}`;

/**
 * Returns a request and a response with the parts that oidc-provider needs to find the request for consent. Node's own objects
 * differ between HTTP/1.1 and HTTP/2.
 */
const messagesOf = ({ headers, url }: FastifyRequest) =>
  [
    { method: 'GET', url, headers: { cookie: headers.cookie ?? '' }, socket: { encrypted: true } },
    { getHeader: () => [], setHeader() {} },
  ] as const;

/** Returns the pending request for consent that this browser began, with its app; null if there is none. */
async function findAsked(
  { db }: ApiContext,
  { provider }: Parts,
  request: FastifyRequest,
): Promise<ConsentRequest | null> {
  try {
    const found = await (await provider()).interactionDetails(...messagesOf(request));
    if (found.uid !== (request.params as { uid: string }).uid) return null;
    const app = await findOauthClientApp(db, found.params.client_id ?? '');
    return app && { found, app };
  } catch (error) {
    if ((error as Error).name === 'SessionNotFound') return null;
    throw error;
  }
}

/** Returns the reason why a session may not give consent. Null if it may. */
async function refusalOf(
  { db, clock }: ApiContext,
  caller: Caller | null,
): Promise<'signed out' | 'long ago' | 'not a home' | null> {
  if (!caller) return 'signed out';
  if (caller.role !== 'homeowner') return 'not a home';
  return (await hasJustSignedIn(db, caller.keyId, clock())) ? null : 'long ago';
}

async function show(context: ApiContext, parts: Parts, request: FastifyRequest, reply: FastifyReply) {
  const asked = await findAsked(context, parts, request);
  const pages = await pagesFor(request);
  if (!asked) return send(reply, 404, pages.over());
  const caller = await findSessionOfRequest(context, request);
  if (!caller) return send(reply, 200, request.url.includes('?') ? pages.signIn(asked) : pages.reload());
  const csrf = createCsrfToken(parts.secret, tokenOf(caller, asked));
  const refusal = await refusalOf(context, caller);
  if (refusal === 'not a home') return send(reply, 403, pages.notAHome(csrf), getRedirectUri(asked));
  if (refusal !== null) return send(reply, 200, pages.signOut(asked, csrf));
  return send(reply, 200, pages.consent(asked, csrf), getRedirectUri(asked));
}

async function signOut({ db, clock }: ApiContext, caller: Caller, address: string): Promise<void> {
  await runAsCaller(db, caller, { now: clock(), named: [caller.keyId] }, async (trx) => {
    await recordAuditedAction(trx, { actor: caller, address, action: 'session.ended', target: caller.keyId });
    await closeSession(trx, caller.userId, caller.keyId);
  });
}

/** Stores the owner's decision. Returns the URL to which the browser must be redirected. */
const finish = async ({ provider }: Parts, request: FastifyRequest, result: object): Promise<string> =>
  (await provider()).interactionResult(...messagesOf(request), result, { mergeWithLastSubmission: false });

/** Authorizes the app. Returns the URL to which the browser must be redirected. */
function allow(
  { db, clock }: ApiContext,
  parts: Parts,
  about: { asked: ConsentRequest; caller: Caller; days: number | null; request: FastifyRequest },
): Promise<string> {
  const { asked, caller, days, request } = about;
  const { app } = asked;
  return runAsCaller(db, caller, { now: clock() }, (trx, { userId: homeId }) =>
    parts.store.inTransaction({ trx, because: 'home' }, async () => {
      // The request for consent is read again under the lock, so that a second click does not authorize the app twice.
      const again = await (await parts.provider()).interactionDetails(...messagesOf(request));
      if (again.result) return again.returnTo;
      const scopes = getRequestedScopes(asked);
      const consented = { homeId, app, scopes, days, greenButtonScope: findGreenButtonScope(asked), now: clock() };
      const grantId = await createAuthorization(trx, consented);
      const details = { app_id: app.app_id, scopes, days };
      const act = { actor: caller, address: request.ip, action: 'authorization.created', target: grantId, details };
      await recordAuditedAction(trx, act);
      return finish(parts, request, { login: { accountId: homeId, remember: false }, consent: { grantId } });
    }),
  );
}

/**
 * Sends a consent page. `redirect`: address to which the browser may be redirected after the form was sent. The content security
 * policy must allow it.
 */
function send(reply: FastifyReply, status: number, page: string, redirect?: URL) {
  // A content security policy cannot contain an IPv6 host, so it allows all http: addresses instead.
  const target = redirect && (redirect.hostname.startsWith('[') ? 'http:' : redirect.origin);
  const policy = target
    ? PLAIN_PAGE_SECURITY_POLICY.replace("form-action 'self'", `form-action 'self' ${target}`)
    : PLAIN_PAGE_SECURITY_POLICY;
  return reply.status(status).header('Content-Security-Policy', policy).type('text/html; charset=utf-8').send(page);
}
