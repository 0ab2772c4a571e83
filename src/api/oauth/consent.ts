import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type Provider from 'oidc-provider';
import { errors, type Interaction } from 'oidc-provider';
import type { ApiContext } from '#src/api/context.ts';
import { sessionOf } from '#src/api/dashboard/caller.ts';
import { COOKIES, setCookie } from '#src/api/dashboard/cookies.ts';
import { escapeHtml } from '#src/api/docs/markup.ts';
import { PLAIN_PAGE_POLICY, renderPlainPage } from '#src/api/plain-page.ts';
import { type App, findClientApp } from '#src/auth/apps.ts';
import type { Caller } from '#src/auth/authenticate.ts';
import { AUTHORIZED_DAYS, createAuthorization } from '#src/auth/authorizations.ts';
import { runAsCaller } from '#src/auth/run-as-caller.ts';
import { APP_SCOPES, type AppScope, isAppScope } from '#src/auth/scopes.ts';
import { closeSession, csrfToken, isCsrfToken, signedInAt } from '#src/auth/sessions.ts';
import { AppError } from '#src/core/errors.ts';
import { recordAct } from '#src/users/audit.ts';
import type { OauthStore } from './store.ts';

/** A session consents only so long after its sign-in: a browser that somebody left open must not let apps in. */
const FRESH_MS = 15 * 60_000;

const UNTIL = { month: 'for 30 days', year: 'for a year', unlimited: 'until you end it' };

/**
 * Adds the page on which a home lets an app in: one form, no script, in no frame. It lies below `/dashboard`, where browsers send the session.
 * Only the home's own account consents, in a session that was signed in within 15 minutes.
 */
export function addConsent(
  app: FastifyInstance,
  context: ApiContext,
  { secret, store, provider }: { secret: string; store: OauthStore; provider: () => Provider },
): void {
  const path = '/dashboard/consent/:uid';
  const { db, clock, environment } = context;

  /** Returns the request for consent that this browser has begun, with its app; null if it has expired. */
  async function begun(request: FastifyRequest, reply: FastifyReply) {
    try {
      const found = await provider().interactionDetails(request.raw, reply.raw);
      if (found.uid !== (request.params as { uid: string }).uid) return null;
      const asking = await findClientApp(db, found.params.client_id ?? '');
      return asking && { found, asking };
    } catch (error) {
      if (error instanceof errors.SessionNotFound) return null;
      throw error;
    }
  }

  app.get(path, { exposeHeadRoute: false }, async (request, reply) => {
    const asked = await begun(request, reply);
    if (!asked) return send(reply, 404, OVER);
    const caller = await sessionOf(context, request);
    // A browser does not send its session when another site's page leads here, but when this page reloads itself.
    if (!caller && !request.url.includes('?'))
      return send(reply, 200, 'One moment.', RELOAD, '<p><a href="?again">Continue</a></p>\n');
    const { found, asking } = asked;
    const token = caller ? csrfToken(secret, `${caller.keyId} ${found.uid}`) : '';
    const why = await refusalOf(caller);
    if (why === 'signed out') return send(reply, 200, signInFirst(asking), '', SIGN_IN);
    if (why === 'long ago')
      return send(
        reply,
        200,
        signInFirst(asking),
        '',
        form(token, '<button name="decision" value="sign-out">Sign out, to sign in again</button>'),
      );
    if (why === 'not a home')
      return send(reply, 403, NOT_A_HOME, '', form(token, '<button name="decision" value="deny">Go back</button>'));
    const { origin } = new URL(found.params.redirect_uri ?? '');
    // Browsers apply form-action to the redirects that follow the form, too.
    reply.header(
      'Content-Security-Policy',
      PLAIN_PAGE_POLICY.replace("form-action 'self'", `form-action 'self' ${origin}`),
    );
    return send(
      reply,
      200,
      `${asking.name} asks for access to your home. It could:`,
      '',
      consentForm(found, asking, token),
    );
  });

  app.post(path, async (request, reply) => {
    const asked = await begun(request, reply);
    if (!asked) return send(reply, 404, OVER);
    const { found, asking } = asked;
    const caller = await sessionOf(context, request);
    const given = new URLSearchParams(typeof request.body === 'string' ? request.body : '');
    if (!caller || !isCsrfToken(secret, `${caller.keyId} ${found.uid}`, given.get('csrf') ?? ''))
      throw new AppError('forbidden');
    const finish = (result: object) =>
      provider().interactionResult(request.raw, reply.raw, result, { mergeWithLastSubmission: false });
    const decision = given.get('decision');
    if (decision === 'sign-out') {
      await runAsCaller(db, caller, { now: clock(), named: [caller.keyId] }, async (trx) => {
        const act = { actor: caller, address: request.ip, action: 'session.ended', target: caller.keyId };
        await recordAct(trx, act);
        await closeSession(trx, caller.userId, caller.keyId);
      });
      reply.header('Set-Cookie', setCookie(COOKIES[environment], '', 0));
      return reply.redirect(`${request.url.split('?')[0]}?again`, 303);
    }
    if (decision === 'deny') {
      const denied = { error: 'access_denied', error_description: 'the home did not let the app in' };
      return reply.redirect(await finish(denied), 303);
    }
    if (decision !== 'allow' || (await refusalOf(caller)) !== null) throw new AppError('forbidden');
    const days = AUTHORIZED_DAYS[given.get('until') ?? ''];
    if (days === undefined) throw new AppError('badRequest');
    const next = await runAsCaller(db, caller, { now: clock() }, (trx, anew) =>
      store.inTransaction({ trx, because: 'home' }, async () => {
        // Locked: a second press of the button must not let the app in twice.
        const again = await provider().interactionDetails(request.raw, reply.raw);
        if (again.result) return again.returnTo;
        const homeId = anew.userId;
        const scopes = scopesOf(found, asking);
        const grantId = await createAuthorization(trx, { homeId, app: asking, scopes, days, now: clock() });
        const details = { app_id: asking.app_id, scopes, days };
        const act = { actor: caller, address: request.ip, action: 'authorization.created', target: grantId, details };
        await recordAct(trx, act);
        return finish({ login: { accountId: homeId, remember: false }, consent: { grantId } });
      }),
    );
    return reply.redirect(next, 303);
  });

  /** Returns why a session may not consent; null if it may. */
  async function refusalOf(caller: Caller | null): Promise<'signed out' | 'long ago' | 'not a home' | null> {
    if (!caller) return 'signed out';
    if (caller.role !== 'homeowner') return 'not a home';
    const at = await signedInAt(db, caller.keyId);
    return at && at.getTime() > clock().getTime() - FRESH_MS ? null : 'long ago';
  }
}

const OVER = 'This request is over, or began in another browser. Go back to the app, and begin again.';
const NOT_A_HOME = 'Only the account of a homeowner lets apps in. You are signed in with another kind of account.';
const RELOAD = '<meta http-equiv="refresh" content="0;url=?again">';
const SIGN_IN = `<p><a href="/dashboard/sign-in" target="_blank">Sign in</a></p>
<p>Then come back to this page: <a href="?again">Continue</a></p>
`;
const signInFirst = ({ name }: App) =>
  `${name} asks for access to your home. Sign in first: you let an app in within 15 minutes of signing in.`;

/** Scopes that a request asks for, in the order of the list. */
const scopesOf = ({ params }: Interaction, app: App): AppScope[] => {
  const asked = params.scope?.split(' ') ?? [];
  return Object.keys(APP_SCOPES)
    .filter(isAppScope)
    .filter((one) => asked.includes(one) && app.scopes.includes(one));
};

const form = (token: string, content: string) =>
  `<form method="post"><input type="hidden" name="csrf" value="${token}">\n${content.replaceAll('<button ', '<button style="font:inherit" ')}</form>\n`;

function consentForm(found: Interaction, app: App, token: string): string {
  const scopes = scopesOf(found, app).map((scope) => `<li>${APP_SCOPES[scope]}</li>`);
  const choices = Object.entries(UNTIL).map(
    ([value, words], at) =>
      `<label style="display:block"><input type="radio" name="until" value="${value}"${at === 0 ? ' checked' : ''}> ${words}</label>`,
  );
  const { host } = new URL(found.params.redirect_uri ?? '');
  return `<ul>\n${scopes.join('\n')}\n</ul>
<p>About the app: <a href="${escapeHtml(app.website)}" rel="noreferrer">${escapeHtml(app.website)}</a>. It receives the access at ${escapeHtml(host)}.</p>
<p>You get a mail, and can end the access at any time in the dashboard, on the page Account.</p>
${form(
  token,
  `<fieldset><legend>How long</legend>\n${choices.join('\n')}</fieldset>
<p><button name="decision" value="allow">Let the app in</button> <button name="decision" value="deny">Cancel</button></p>
`,
)}`;
}

function send(reply: FastifyReply, status: number, text: string, head = '', more = '') {
  if (!reply.hasHeader('Content-Security-Policy')) reply.header('Content-Security-Policy', PLAIN_PAGE_POLICY);
  return reply
    .status(status)
    .type('text/html; charset=utf-8')
    .send(renderPlainPage('Access to your home', text, { head, more }));
}
