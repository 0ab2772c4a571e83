import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Server as PlainServer } from 'node:http';
import type { Server } from 'node:https';
import { type AddressInfo, createServer, type Server as TcpServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { createAuthenticator } from '#src/auth/authenticate.ts';
import { createDatabaseRequestCounter } from '#src/auth/database-counter.ts';
import { isLoopback } from '#src/config/addresses.ts';
import { type Config, setApiPort } from '#src/config/load.ts';
import { systemClock } from '#src/core/clock.ts';
import type { Logger } from '#src/core/log.ts';
import type { Metrics } from '#src/core/metrics.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { createSecretEncrypter } from '#src/core/secrets.ts';
import { SERVER_TLS_OPTIONS } from '#src/core/tls.ts';
import { createDatabase, type Database, type Pool } from '#src/database/connect.ts';
import { watchStandby } from '#src/database/standby.ts';
import type { SourceFetcher } from '#src/tariffs/sources/read-source.ts';
import { buildApp } from './app.ts';
import type {
  ApiContext,
  BrokerAddress,
  MessageDiagnosisPort,
  RejectedMessagesPort,
  RollupsPort,
  SentReadingsPort,
} from './context.ts';
import type { SignInProvider } from './dashboard/provider.ts';
import type { SignInDependencies } from './dashboard/session.ts';
import type { DoctorReport } from './dashboard/shapes.ts';
import { createPlainHttpServer } from './plain-http.ts';
import { createReadDatabaseRouter } from './reads.ts';
import { createTrustedProxyChecker } from './trusted-proxies.ts';

interface Api {
  ports: { https_port: number; http_port: number };
  /** URL at which clients reach the API: PUBLIC_URL or, if PUBLIC_URL is not set, a URL with the port on which the API listens. */
  publicUrl: string;
  /** Returns the maximum age of the standby server's data in seconds. Null without an available standby server. */
  standbyLagSeconds(): number | null;
  /** Replaces the TLS certificate for new connections. */
  renewTls(pair: { cert: Buffer; key: Buffer }): void;
  stop(): Promise<void>;
}

/** Dependencies of the API in addition to its configuration. */
interface ApiParts {
  pool: Pool;
  readPool: Pool;
  tls: { cert: Buffer; key: Buffer };
  secret: string;
  mailSignIn: SignInDependencies['mail'];
  fetchAnswer: SourceFetcher;
  judge: MessageDiagnosisPort;
  rejected: RejectedMessagesPort;
  sentReadings: SentReadingsPort;
  rollups: RollupsPort;
  /** Records deleted keys, sessions and other objects in a file next to the back-ups; null without back-ups. */
  writeEndedObjects: (() => Promise<void>) | null;
  runDoctor: () => Promise<DoctorReport>;
  metrics: Metrics;
  log: Logger;
}

/** Starts the API's two listeners: one for HTTPS, and one for plain HTTP, which only refuses requests. */
export async function startApi(config: Config, parts: ApiParts): Promise<Api> {
  const { pool, readPool, tls, secret, mailSignIn, writeEndedObjects, metrics, log } = parts;
  const { environment } = config;
  const db = createDatabase(pool);
  const standby = readPool === pool ? undefined : watchStandby(pool, readPool, log);
  let isLeaving = false;
  const handOn = new AbortController();
  const redis = await redisCounterOf(config, db, log);
  let { publicUrl } = config;
  let certificate = tls.cert;
  const reads = standby && createReadDatabaseRouter(db, createDatabase(readPool), standby);
  const app = buildApp(contextOf(config, parts, db, reads), {
    authenticate: createAuthenticator(db, environment),
    counter: redis ?? createDatabaseRequestCounter(db, config.planLimits, systemClock),
    isReady: async () => !isLeaving && (await acceptsWrites(pool)),
    handOn: handOn.signal,
    tls,
    trustProxy: config.api.trustProxy,
    corsOrigins: config.api.corsOrigins,
    publicUrl: () => publicUrl,
    certificate: () => certificate,
    secret,
    mqtt: brokerAddress(config.mqtt),
    oidc: await readOidcConfig(config),
    mailSignIn,
    writeEndedObjects,
    metrics,
    log,
  });
  const listeners = await listen(app, config, log, () => publicUrl);
  publicUrl = setApiPort(config, listeners.ports.https_port).publicUrl;
  return {
    ports: listeners.ports,
    publicUrl,
    standbyLagSeconds() {
      const state = standby?.state();
      return state ? state.ageMs / 1_000 : null;
    },
    renewTls(pair) {
      (app.server as Server).setSecureContext({ ...pair, ...SERVER_TLS_OPTIONS });
      certificate = pair.cert;
    },
    async stop() {
      // In the first half of the shutdown time, proxies detect the shutdown (/readyz). In the second half, clients connect to
      // another process. All requests are still answered.
      const halfMs = (config.api.drainSeconds * 1_000) / 2;
      isLeaving = true;
      await setTimeout(halfMs);
      handOn.abort();
      await setTimeout(halfMs);
      standby?.stop();
      await listeners.close();
      await redis?.stop();
    },
  };
}

/** Creates the context of the API's operations. `reads`: undefined without a standby server. */
function contextOf(config: Config, parts: ApiParts, db: Database, reads: ApiContext['reads']): ApiContext {
  const { environment, retentionMonths, dataDir } = config;
  const { secret, fetchAnswer, judge, rejected, sentReadings, rollups, runDoctor } = parts;
  return {
    db,
    readDb: db,
    ...omitUndefined({ reads }),
    runDoctor,
    clock: systemClock,
    box: createSecretEncrypter(secret),
    environment,
    fetchAnswer,
    judge,
    retentionMonths,
    rejected,
    sentReadings,
    rollups,
    dataDir,
  };
}

/** Opens the listeners of the API. `close` resolves when the API has responded to all requests in progress. */
async function listen(app: FastifyInstance, config: Config, log: Logger, publicUrl: () => string) {
  const { host, port } = config.api;
  await listenQuietly(app, log, { host, port }).catch((error) => {
    throw busy(error, port, 'API_PORT');
  });
  const server = app.server as Server;
  const other = await listenOnOther(server, host);
  const plain = await listenForPlainHttp(config, app, publicUrl);
  const portOf = (address: AddressInfo | string | null) => (address as AddressInfo).port;
  return {
    ports: { https_port: portOf(server.address()), http_port: portOf(plain.address()) },
    async close() {
      other?.close();
      plain.close();
      await Promise.all([app.close(), endIdle(plain), endIdle(server)]);
    },
  };
}

/** Returns whether the database responds and accepts writes. */
async function acceptsWrites(pool: Pool): Promise<boolean> {
  try {
    // Raw SQL: `pg_is_in_recovery()` returns a state of the server; no table contains this state.
    const { rows } = await pool.query('SELECT pg_is_in_recovery() AS "isStandby"');
    return !rows[0].isStandby;
  } catch {
    return false;
  }
}

/** Creates request counters in Redis, if it is configured. The Redis client is imported only then, because it slows the start. */
async function redisCounterOf({ redisUrl, planLimits: plans, environment }: Config, db: Database, log: Logger) {
  if (!redisUrl) return undefined;
  const { createRedisRequestCounter } = await import('#src/auth/redis-counter.ts');
  return createRedisRequestCounter(redisUrl, { db, plans, clock: systemClock, environment, log });
}

async function listenForPlainHttp(config: Config, app: FastifyInstance, publicUrl: () => string): Promise<PlainServer> {
  const { trustProxy, httpPort, host } = config.api;
  const plain = createPlainHttpServer(
    createTrustedProxyChecker(trustProxy),
    (asked, answer) => app.routing(asked, answer),
    publicUrl,
  );
  await new Promise<void>((resolve, reject) => {
    plain.once('error', (error) => reject(busy(error, httpPort, 'HTTP_PORT')));
    plain.listen(httpPort, host, resolve);
  });
  return plain;
}

/** Starts listening without fastify's log line, which would contain http:// instead of https://. */
async function listenQuietly(app: FastifyInstance, log: Logger, at: { host: string; port: number }): Promise<void> {
  const { level } = log;
  if (log.isLevelEnabled('info')) log.level = 'warn';
  try {
    await app.listen(at);
  } finally {
    log.level = level;
  }
}

/** Imports the client for OpenID Connect only if an identity provider is configured, because few installations use one. */
async function readOidcConfig({ oidc: config }: Config): Promise<SignInProvider | undefined> {
  if (!config) return undefined;
  try {
    const ca = config.caFile === undefined ? undefined : await readFile(config.caFile, 'utf8');
    return { config, provider: (await import('#src/auth/oidc/provider.ts')).createOidcProvider(config, ca) };
  } catch (error) {
    throw new Error(`OIDC_CA_FILE: ${(error as Error).message}. It must be a certificate in PEM.`, { cause: error });
  }
}

/** Interval in ms at which idle connections are closed during a shutdown. Once is not enough, because connections can become idle late. */
const IDLE_LOOK_MS = 100;

/** Closes the idle connections of a server that has stopped listening, until none is left. */
async function endIdle(server: PlainServer | Server): Promise<void> {
  const timer = setInterval(() => server.closeIdleConnections(), IDLE_LOOK_MS);
  await once(server, 'close');
  clearInterval(timer);
}

/** Also listens on the second address of `localhost`, if the machine has one, and passes its connections to `server`. */
async function listenOnOther(server: Server, host: string): Promise<TcpServer | undefined> {
  if (host !== 'localhost') return undefined;
  const { address, port } = server.address() as AddressInfo;
  const other = createServer((socket) => server.emit('connection', socket));
  await new Promise<void>((resolve) => {
    other.once('error', () => resolve());
    other.listen(port, address === '::1' ? '127.0.0.1' : '::1', resolve);
  });
  return other;
}

const brokerAddress = ({ url, host, port, tlsPort, publicHost }: Config['mqtt']): BrokerAddress => ({
  host: publicHost,
  ports: url ? null : { tls: tlsPort, plain: port },
  is_plain_open: !isLoopback(host),
});

/** Returns the error of a listener. If the port is in use, the error explains what to do. */
function busy(error: NodeJS.ErrnoException, port: number, variable: string): Error {
  if (error.code !== 'EADDRINUSE') return error;
  return new Error(`Port ${port} is in use. Stop the program that uses it, or set ${variable} to another port.`);
}
