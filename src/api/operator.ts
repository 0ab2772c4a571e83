import { type AddressInfo, isIP } from 'node:net';
import Fastify from 'fastify';
import { isLoopback, stripBrackets } from '#src/config/addresses.ts';
import { AppError } from '#src/core/errors.ts';
import type { Logger } from '#src/core/log.ts';
import { METRICS_MEDIA_TYPE, mergeMetrics } from '#src/core/metrics.ts';
import type { BrokerAccess } from '#src/devices/broker-access.ts';
import { addBrokerAuthRoutes } from './broker-calls.ts';
import { addErrorHandler } from './plugins/errors.ts';

/** Functions and data that the operator's listener needs. */
export interface OperatorDependencies {
  /** Returns the metrics of this process or, in a supervisor, of all processes that it supervises. */
  metrics(): Promise<object[][]>;
  /** Returns the state of each role (process type). The listener responds with 503 unless every state is `up`. */
  health(): Promise<Record<string, string>>;
  /** Returns whether a proxy should send connections to this process. Default: true. */
  isReady?(): boolean;
  /** URL at which clients reach the API and its documentation. */
  publicUrl: string;
  /** Decides which clients an MQTT broker accepts, and which topics they may use. */
  access: BrokerAccess;
}

const NONE = { port: null, stop: async () => {} };

/**
 * Starts the operators' listener, separate from the API: `/metrics` (Prometheus), `/healthz`, `/readyz`, and the endpoints that
 * MQTT brokers call. It uses plain HTTP on the loopback interface, unless OPERATOR_HOST is set. `port`: null disables the
 * listener.
 */
export async function startOperatorListener(
  { host, port, names }: { host: string; port: number | null; names: readonly string[] },
  operated: OperatorDependencies,
  log: Logger,
): Promise<{ port: number | null; stop(): Promise<void> }> {
  if (port === null) return NONE;
  const app = Fastify({ forceCloseConnections: true });
  // While the database is unavailable, responds with 503 and Retry-After.
  addErrorHandler(app, () => operated.publicUrl);
  app.setNotFoundHandler(async () => {
    throw new AppError('notFound');
  });
  app.addHook('onRequest', async (request) => {
    if (!isOperatorHost(request.headers.host, { host, names })) throw new AppError('operatorHost');
  });
  app.get('/metrics', async (_request, reply) =>
    reply.type(METRICS_MEDIA_TYPE).send(await mergeMetrics(await operated.metrics())),
  );
  app.get('/healthz', async (_request, reply) => {
    const roles = await operated.health();
    const isWell = Object.values(roles).every((state) => state === 'up');
    return reply.status(isWell ? 200 : 503).send({ status: isWell ? 'ok' : 'degraded', roles });
  });
  app.get('/readyz', async (_request, reply) => {
    if (operated.isReady?.() ?? true) return { status: 'ready' };
    return reply.status(503).send({ status: 'not ready' });
  });
  addBrokerAuthRoutes(app, operated.access);
  try {
    await app.listen({ host, port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    // If several processes on one machine use the same port, only the first gets the listener. The others continue without it.
    log.warn({ port }, 'no metrics: the operator port is in use; set OPERATOR_PORT to another one');
    return NONE;
  }
  return { port: (app.server.address() as AddressInfo).port, stop: () => app.close() };
}

/**
 * Whether a request's Host header is accepted. IP addresses, localhost and configured names are accepted. If other machines may connect,
 * names without a dot are accepted, too. Other names are refused, because a web page could make its own host name resolve to this machine
 * (DNS rebinding).
 */
export function isOperatorHost(
  header: string | undefined,
  { host, names }: { host: string; names: readonly string[] },
): boolean {
  const [, named] = /^(\[[^\]]+\]|[^:[\]]+)(?::\d+)?$/.exec(header ?? '') ?? [];
  if (named === undefined) return false;
  const name = stripBrackets(named).toLowerCase();
  if (isIP(name) !== 0 || isLoopback(name)) return true;
  if ([host, ...names].some((one) => one.toLowerCase() === name)) return true;
  return !isLoopback(host) && !name.includes('.');
}
