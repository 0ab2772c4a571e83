import type { Server } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply, LogController } from 'fastify';
import type { Authenticate } from '#src/auth/authenticate.ts';
import type { RequestCounter } from '#src/auth/request-counter.ts';
import { AppError } from '#src/core/errors.ts';
import { createId } from '#src/core/ids.ts';
import type { Logger } from '#src/core/log.ts';
import type { Metrics } from '#src/core/metrics.ts';
import { verifyMailedToken } from '#src/core/secrets.ts';
import { VERSION } from '#src/core/version.ts';
import { createCalculator } from '#src/cost/calculator.ts';
import { addJsonParser } from './bodies.ts';
import { addConcurrencyLimits } from './concurrency-limiter.ts';
import type { ApiContext, BrokerAddress } from './context.ts';
import type { SignInProvider } from './dashboard/provider.ts';
import { addDashboardRoutes } from './dashboard/routes.ts';
import type { SignInDependencies } from './dashboard/session.ts';
import { addGreenButtonRoutes } from './green-button/routes.ts';
import type { Http2Server } from './http2.ts';
import { UsageStreams } from './live/live.ts';
import { addMcpRoutes } from './mcp/routes.ts';
import { OAUTH_PATHS } from './oauth/paths.ts';
import { addOauthRoutes } from './oauth/routes.ts';
import { addOperation } from './operation.ts';
import { addAuthentication } from './plugins/authentication.ts';
import { addCertificateDownload } from './plugins/certificate.ts';
import { addMeterClaimRoutes } from './plugins/claims.ts';
import { addCors } from './plugins/cors.ts';
import { addErrorHandler, createErrorBody } from './plugins/errors.ts';
import { addMailedLinkPages } from './plugins/mailed-links.ts';
import { addNotFoundHandler, addRootRedirect } from './plugins/not-found.ts';
import {
  addConnectionDraining,
  addProtocolErrorResponses,
  getPathAndQuery,
  refuseUnparsableRequest,
} from './plugins/protocol.ts';
import { addReferencePages } from './plugins/reference.ts';
import { addRequestLog, addRequestMetrics, addRequestSpans } from './plugins/request-log.ts';
import { addUnsentResponseLimits } from './plugins/unsent-responses.ts';
import { createApiServer, SERVER_TIMEOUTS } from './server.ts';
import { createTrustedProxyChecker } from './trusted-proxies.ts';
import { OPERATIONS } from './v1/operations.ts';

const BODY_LIMIT_BYTES = 1_048_576;

/** Dependencies of the API in addition to `ApiContext`. */
interface AppParts {
  authenticate: Authenticate;
  counter: RequestCounter;
  isReady(): Promise<boolean>;
  tls: { cert: Buffer; key: Buffer };
  /** Addresses of proxies whose X-Forwarded-* headers are trusted. */
  trustProxy?: readonly string[];
  /** Origins of web pages that may call the API. */
  corsOrigins?: readonly string[];
  /** Returns the URL at which clients reach the API. */
  publicUrl: () => string;
  /** Returns the TLS certificate that is currently used. Default: the certificate in `tls`. */
  certificate?: () => Buffer;
  /** Secret of the installation, with which the links in mails are signed. */
  secret: string;
  mqtt: BrokerAddress;
  /** Identity provider for signing in to the dashboard. Users can also sign in by mail. */
  oidc?: SignInProvider | undefined;
  /** Sends a mail with a link and a code for signing in to the dashboard. */
  mailSignIn: SignInDependencies['mail'];
  /**
   * Records deleted keys, sessions and other objects in a file next to the back-ups, so that they are deleted again after a
   * restore.
   */
  writeEndedObjects?: (() => Promise<void>) | null;
  metrics?: Metrics;
  log: Logger;
  /** Aborts when clients should connect to another process. */
  handOn?: AbortSignal;
  /** Time limits of a connection in ms, which replace those in `SERVER_TIMEOUTS`. */
  patience?: Partial<typeof SERVER_TIMEOUTS>;
}

/** Builds the API as a fastify instance over TLS with HTTP/1.1 and HTTP/2. The instance does not listen yet. */
export function buildApp(context: ApiContext, parts: AppParts): FastifyInstance {
  const { secret, counter, mqtt, oidc, publicUrl, mailSignIn, metrics, handOn } = parts;
  const { certificate = () => parts.tls.cert, writeEndedObjects } = parts;
  const live = new UsageStreams(context, counter);
  context.live = live;
  context.mailedIdOf = (purpose, token) => verifyMailedToken(secret, purpose, token);
  context.publicUrl = publicUrl;
  context.calculator ??= createCalculator();
  const { calculator } = context;
  const { app, http2 } = createInstance(parts);
  // Live streams must end before the server closes, because the server waits for open responses.
  app.addHook('preClose', async () => live.stop());
  app.addHook('preClose', async () => http2()?.close());
  app.addHook('onClose', () => calculator.close());
  handOn?.addEventListener('abort', () => live.handOn());
  // Hooks that await nothing call `done`, because a promise for each hook measurably slowed short requests.
  addConnectionDraining(app, handOn, () => http2()?.handOn());
  addRequestSpans(app);
  addRequestLog(app);
  addProtocolErrorResponses(app);
  refusePlainHttpBehindProxy(app, parts.trustProxy ?? []);
  // fastify also parses text/plain by default, but in this API a body must be JSON.
  app.removeContentTypeParser('text/plain');
  addJsonParser(app);
  addErrorHandler(app, publicUrl);
  addCommonHeaders(app);
  if (writeEndedObjects) recordEndings(app, writeEndedObjects);
  addUnsentResponseLimits(app, metrics);
  if (metrics) addRequestMetrics(app, metrics);
  const open = { energy_live_streams: 'Open streams of live readings' };
  metrics?.valuesOf(open, async () => ({ energy_live_streams: live.count() }));
  addCors(app, parts.corsOrigins ?? []);
  addAuthentication(app, parts.authenticate, counter);
  addConcurrencyLimits(app, context.clock);
  addNotFoundHandler(app, publicUrl);
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    if (await parts.isReady()) return { status: 'ready' };
    return reply.status(503).header('Retry-After', '5').send(createErrorBody('unavailable', publicUrl()));
  });
  addRootRedirect(app);
  addCertificateDownload(app, certificate);
  addReferencePages(app, publicUrl);
  addMailedLinkPages(app, context, secret);
  addOauthRoutes(app, context, { secret, counter, publicUrl });
  addMeterClaimRoutes(app, context, counter);
  for (const operation of OPERATIONS) addOperation(app, context, operation);
  addDashboardRoutes(app, context, { secret, counter, mqtt, oidc, publicUrl, certificate, mail: mailSignIn }, handOn);
  addMcpRoutes(app, context, publicUrl);
  addGreenButtonRoutes(app, context, publicUrl);
  return app;
}

/** Creates the fastify instance. Also returns a function that returns its HTTP/2 server, which is created later. */
function createInstance({ tls, patience, log, trustProxy, publicUrl }: AppParts) {
  let http2: Http2Server | undefined;
  const app = Fastify<Server>({
    serverFactory(serve) {
      const made = createApiServer({ serve }, tls, { ...SERVER_TIMEOUTS, ...patience });
      ({ http2 } = made);
      return made.server;
    },
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    // The service creates every request id, because an id from the client could inject text into the log.
    genReqId: () => createId('req'),
    requestIdHeader: false,
    bodyLimit: BODY_LIMIT_BYTES,
    forceCloseConnections: 'idle',
    // The service still answers requests that arrive during its shutdown, and then closes their connections.
    return503OnClosing: false,
    trustProxy: trustProxy && trustProxy.length > 0 ? [...trustProxy] : false,
    // The length of an identifier in a path is not limited, so that a long unknown identifier also gets 404. The head of a
    // request is limited to 16 KiB anyway.
    routerOptions: { maxParamLength: 16_384 },
    rewriteUrl: (request) => decodable(getPathAndQuery(request.url ?? '/')),
    clientErrorHandler: (error, socket) =>
      refuseUnparsableRequest(error, socket, createErrorBody('badRequest', publicUrl())),
    frameworkErrors: (_error, _request, reply) =>
      (reply as FastifyReply).status(400).send(createErrorBody('badRequest', publicUrl())),
  }) as FastifyInstance;
  return { app, http2: () => http2 };
}

/** Refuses a request if a trusted proxy reports that the client connected to the proxy without TLS. */
function refusePlainHttpBehindProxy(app: FastifyInstance, proxies: readonly string[]): void {
  const isTrusted = createTrustedProxyChecker(proxies);
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.headers['x-forwarded-proto'] === 'http' && isTrusted(request.socket.remoteAddress))
      throw new AppError('httpsRequired');
    done();
  });
}

/** Adds the headers that every response has. A `Cache-Control` or `Content-Security-Policy` that a route has set remains. */
function addCommonHeaders(app: FastifyInstance): void {
  app.addHook('onSend', (_request, reply, _payload, done) => {
    reply.header('Strict-Transport-Security', 'max-age=31536000; includeSubDomains');
    reply.header('X-Content-Type-Options', 'nosniff');
    if (!reply.hasHeader('Cache-Control')) reply.header('Cache-Control', 'no-store');
    // Version of the service. The version of the API is in the path (/v1).
    reply.header('Energy-Service-Version', VERSION);
    if (!reply.hasHeader('Content-Security-Policy'))
      reply.header('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
    reply.header('Referrer-Policy', 'no-referrer');
    done();
  });
}

/**
 * Before a response is sent, records the keys, sessions and other objects that its request has deleted. A later restore of a
 * back-up then deletes them again.
 */
function recordEndings(app: FastifyInstance, writeEndedObjects: () => Promise<void>): void {
  app.addHook('onSend', ({ method, routeOptions }, { statusCode }, _payload, done) => {
    // Requests that send readings delete nothing, so they do not wait for the disk of the back-ups.
    if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || routeOptions.url?.endsWith('/readings'))
      return done();
    // A refused request can also end an authorization, if it uses a token for the second time.
    if (statusCode >= 400 && routeOptions.url !== OAUTH_PATHS.token) return done();
    writeEndedObjects().then(() => done(), done);
  });
}

/**
 * Returns the URL unchanged if its percent-encoding is valid. Otherwise treats the percent signs as literal characters, so that
 * the URL gets 404.
 */
function decodable(url: string): string {
  if (!url.includes('%')) return url;
  try {
    decodeURIComponent(url.split('?', 1)[0] ?? '');
    return url;
  } catch {
    const [path = '', ...query] = url.split('?');
    return [path.replaceAll('%', '%25'), ...query].join('?');
  }
}
