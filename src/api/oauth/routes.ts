import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import inject, { type InjectOptions, type Response } from 'light-my-request';
import type Provider from 'oidc-provider';
import type { ApiContext } from '#src/api/context.ts';
import { PLAIN_PAGE_SECURITY_POLICY } from '#src/api/plain-page.ts';
import { countConsentRequest, countFailedAuthentication } from '#src/api/plugins/rate-limits.ts';
import { getRequestCounterName } from '#src/auth/authenticate.ts';
import type { RequestCounter } from '#src/auth/request-counter.ts';
import { APP_SCOPE_NAMES } from '#src/auth/scopes.ts';
import { AppError } from '#src/core/errors.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import type { Database } from '#src/database/connect.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { addConsentRoutes } from './consent.ts';
import { replaceGreenButtonScope, replaceGreenButtonTokenScope } from './green-button-requests.ts';
import { OAUTH_PATHS } from './paths.ts';
import { OauthStore } from './store.ts';

const METADATA = '/.well-known/oauth-authorization-server';
/** Members of the authorization server's metadata (RFC 8414) that the service publishes. */
const MEMBERS = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'revocation_endpoint',
  'response_types_supported',
  'grant_types_supported',
  'token_endpoint_auth_methods_supported',
  'code_challenge_methods_supported',
  'authorization_response_iss_parameter_supported',
];
const FORM_LIMIT_BYTES = 16_384;
const FORM_TOO_LONG = new AppError('badRequest', { details: [{ field: 'body', message: 'is longer than 16 KiB' }] });
/** Request headers that are passed to oidc-provider. The host and the protocol come from the public URL instead. */
const HANDED = ['accept', 'authorization', 'content-type', 'cookie'];
const ANSWERED = ['cache-control', 'content-type', 'location', 'pragma', 'set-cookie', 'www-authenticate'];

/**
 * Dependencies of the routes. `forward` passes a request to oidc-provider; `changed` contains a URL or body that replaces the
 * original.
 */
interface Parts {
  db: Database;
  store: OauthStore;
  counter: RequestCounter;
  forward(request: FastifyRequest, changed?: { url?: string; body?: string }): Promise<Response>;
}

/**
 * Adds the authorization server at `/oauth/…`, its metadata and the consent page. If a request runs in a transaction, the
 * response is sent after the commit.
 */
export function addOauthRoutes(
  app: FastifyInstance,
  context: ApiContext,
  { secret, counter, publicUrl }: { secret: string; counter: RequestCounter; publicUrl: () => string },
): void {
  const store = new OauthStore(context.db, context.box, context.clock);
  let made: Promise<{ provider: Provider; handle: ReturnType<Provider['callback']> }> | undefined;
  const make = async () => {
    const { createAuthorizationServer } = await import('./server.ts');
    const onError = (error: Error) => app.log.error({ err: error }, 'the authorization server failed');
    const provider = createAuthorizationServer({ issuer: publicUrl(), secret, store, onError });
    return { provider, handle: provider.callback() };
  };
  /** Loads oidc-provider at the first request, because the public URL is known only once the service listens. */
  const server = () => {
    made ??= make();
    return made;
  };
  const forward: Parts['forward'] = async (request, changed) =>
    inject((await server()).handle, handedRequest(request, publicUrl(), changed));
  const parts: Parts = { db: context.db, store, counter, forward };

  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Bodies of all media types are accepted here, because oidc-provider itself refuses unsupported types.
    scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) =>
      body.length > FORM_LIMIT_BYTES ? done(FORM_TOO_LONG) : done(null, body),
    );
    scope.get(METADATA, { exposeHeadRoute: false }, async (request) =>
      metadataOf((await forward(request)).json(), publicUrl()),
    );
    const authorizing = async (request: FastifyRequest, reply: FastifyReply) => authorize(parts, request, reply);
    scope.get(OAUTH_PATHS.authorization, { exposeHeadRoute: false }, authorizing);
    scope.get(`${OAUTH_PATHS.authorization}/:uid`, { exposeHeadRoute: false }, authorizing);
    const exchanging = async (request: FastifyRequest, reply: FastifyReply) => exchange(parts, request, reply);
    scope.post(OAUTH_PATHS.token, exchanging);
    scope.post(OAUTH_PATHS.revocation, exchanging);
    addConsentRoutes(scope, context, { secret, store, provider: async () => (await server()).provider });
  });
}

/** Converts a request to the form that oidc-provider needs. */
function handedRequest(
  { method, url, headers, body }: FastifyRequest,
  publicUrl: string,
  changed: { url?: string; body?: string } = {},
): InjectOptions {
  const { protocol, host } = new URL(publicUrl);
  const handed = Object.fromEntries(HANDED.flatMap((name) => (headers[name] ? [[name, String(headers[name])]] : [])));
  const payload = changed.body ?? body;
  return {
    method: method as 'GET' | 'POST',
    url: changed.url ?? url,
    headers: { ...handed, host, 'x-forwarded-proto': protocol.slice(0, -1), 'x-forwarded-host': host },
    ...(typeof payload === 'string' && { payload }),
  };
}

/** Returns the metadata of this authorization server. `all`: the metadata that oidc-provider returns. */
const metadataOf = (all: Record<string, unknown>, publicUrl: string) => ({
  ...Object.fromEntries(MEMBERS.map((name) => [name, all[name]])),
  // Overrides the scope "openid", which this server does not support.
  scopes_supported: APP_SCOPE_NAMES,
  response_modes_supported: ['query'],
  revocation_endpoint_auth_methods_supported: all.token_endpoint_auth_methods_supported,
  service_documentation: `${publicUrl}/docs`,
});

async function authorize({ counter, forward }: Parts, request: FastifyRequest, reply: FastifyReply) {
  await countConsentRequest(counter, request.ip);
  const { response_mode: mode } = request.query as { response_mode?: unknown };
  // Other response modes are refused, because they need a script or expose the code to scripts.
  if (mode !== undefined && mode !== 'query') throw new AppError('badRequest');
  reply.header('Content-Security-Policy', PLAIN_PAGE_SECURITY_POLICY);
  const [path = ''] = request.url.split('?', 1);
  const asked = new URLSearchParams(request.url.slice(path.length));
  // The request is stored as JSON, in which PostgreSQL does not accept the character NUL.
  if ([...asked.values()].some((value) => value.includes('\0'))) throw new AppError('badRequest');
  const read = replaceGreenButtonScope(asked);
  return answer(reply, await forward(request, read ? { url: `${path}?${read}` } : {}));
}

async function exchange({ db, store, counter, forward }: Parts, request: FastifyRequest, reply: FastifyReply) {
  const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '');
  await takeRequest(counter, await store.ownerOf(form.get('refresh_token') ?? ''));
  const because = request.url.startsWith(OAUTH_PATHS.revocation) ? 'revoked' : 'reuse';
  // The request is counted only after the app's secret was verified, so that other programs cannot use up the app's limit.
  if (form.get('grant_type') === 'client_credentials')
    await takeRequest(counter, await store.clientOf(...credentialsOf(request, form)));
  const body = replaceGreenButtonTokenScope(form)?.toString();
  const done = await joinOrBeginTransaction(db, (trx) =>
    store.inTransaction({ trx, because }, () => forward(request, omitUndefined({ body }))),
  );
  if (done.statusCode >= 400) await countFailedAuthentication(counter, request.ip);
  return answer(reply, done);
}

/** Counts a request of an app, unless `owner` is null. Throws 429 if the app's limit is reached. */
async function takeRequest(counter: RequestCounter, owner: Parameters<typeof getRequestCounterName>[0] | null) {
  const counted = owner && (await counter.take(getRequestCounterName(owner)));
  if (counted && !counted.allowed)
    throw new AppError('tooManyRequests', { retryAfterSeconds: counted.retryAfterSeconds });
}

/** Returns the client_id and the secret that a request contains, in HTTP Basic authentication or in the form. */
function credentialsOf({ headers }: FastifyRequest, form: URLSearchParams): [id: string, secret: string] {
  const [, basic] = /^Basic +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  if (basic === undefined) return [form.get('client_id') ?? '', form.get('client_secret') ?? ''];
  // With HTTP Basic, the id and the secret are encoded like form values (RFC 6749, 2.3.1).
  const decode = (text = '') => new URLSearchParams(`x=${text}`).get('x') ?? '';
  const [id, secret] = Buffer.from(basic, 'base64').toString().split(':', 2);
  return [decode(id), decode(secret)];
}

function answer(reply: FastifyReply, { statusCode, headers, payload }: Response) {
  for (const name of ANSWERED) {
    const value = headers[name];
    if (value !== undefined) reply.header(name, value as string | string[]);
  }
  return reply.status(statusCode).send(payload);
}
