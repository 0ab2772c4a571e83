import { type Operated, startOperator } from '#src/api/operator.ts';
import { ADMIN, ensureBootstrapAdmin } from '#src/auth/keys.ts';
import { type Config, childEnvironment } from '#src/config/load.ts';
import { createLog, type Logger } from '#src/core/log.ts';
import { outliveOutput } from '#src/core/output.ts';
import { createDb, createPool } from '#src/database/connect.ts';
import { isEmbeddedAlive, startEmbeddedPostgres } from '#src/database/embedded-postgres.ts';
import { migrate } from '#src/database/migrate.ts';
import { brokerAccess } from '#src/devices/broker-access.ts';
import { tlsPair } from './certificate.ts';
import { type Child, startChild } from './children.ts';
import { lockDataDir, runningOn } from './data-dir-lock.ts';
import { choosePorts, refuseTakenPorts, writeListening } from './ports.ts';
import { startSandbox } from './sandbox.ts';
import { secretKey } from './secret-key.ts';
import { printedLink } from './sign-in-link.ts';

const ROLES = ['ingest', 'api', 'worker'] as const;

/** The whole service, running. */
export interface Service {
  /** The first administrator's key, where this start made it, and a link that signs in to the dashboard; never shown again. */
  adminKey: string | null;
  signInLink: string | null;
  certFile: string;
  /** As it is in force: with the ports that were chosen. */
  config: Config;
  databaseUrl: string;
  /** What the database is, in a line. */
  databaseLine: string;
  stop(): Promise<void>;
}

/**
 * The supervisor: takes the data directory, runs the embedded database where none is configured, and the three roles
 * as processes of their own. Resolves when all of them are ready. `signal`: gives it up; what has begun is stopped.
 */
export async function startAll(given: Config, signal: AbortSignal = new AbortController().signal): Promise<Service> {
  outliveOutput();
  const log = createLog('supervisor', given.log);
  const stops: (() => Promise<void> | void)[] = [];
  const stop = async () => {
    // One that fails leaves nothing running but itself.
    for (const one of stops.splice(0).reverse()) {
      try {
        await one();
      } catch (error) {
        log.error({ err: error }, 'stop');
      }
    }
  };
  try {
    // First, and before the data directory is made; but beside a service on it that one's ports are no news.
    if (runningOn(given.dataDir) === null) await refuseTakenPorts(given);
    stops.push(await lockDataDir(given.dataDir));
    const config = await choosePorts(given);
    const tls = await tlsPair(config, log);
    stops.push(writeListening(config));
    const { url, stop: stopDatabase } = await database(config, log);
    stops.push(stopDatabase);
    signal.throwIfAborted();
    const { databaseLine, ...first } = await prepare(url, config, log);
    signal.throwIfAborted();
    const env = childEnvironment(config, url);
    const children = ROLES.map((role) => startChild(role, env, log, config.api.drainSeconds * 1_000));
    stops.push(async () => void (await Promise.all(children.map((child) => child.stop()))));
    // They take seconds; what follows does not.
    await Promise.race([Promise.all(children.map((child) => child.ready)), aborted(signal)]);
    if (config.environment === 'sandbox') stops.push(startSandbox(config, url, log).stop);
    const pool = createPool(url, { max: 2, applicationName: 'energy supervisor', isAnswering: true });
    stops.push(() => pool.end());
    const access = brokerAccess(createDb(pool), config.mqtt.url);
    const operator = await startOperator(
      config.operator,
      { ...supervised(children), publicUrl: config.publicUrl, access },
      log,
    );
    stops.push(operator.stop);
    return { ...first, certFile: tls.certFile, config, databaseUrl: url, databaseLine, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Fails when the signal comes. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, fail) => signal.addEventListener('abort', () => fail(signal.reason), { once: true }));

/** Metrics and health of the roles, asked from each; one that does not answer is down. */
const supervised = (children: readonly Child[]): Pick<Operated, 'metrics' | 'health'> => ({
  async metrics() {
    const answers = await Promise.all(children.map((child) => child.ask('metrics')));
    return answers.filter((answer): answer is object[] => Array.isArray(answer));
  },
  async health() {
    const answers = await Promise.all(children.map((child) => child.ask('health')));
    return Object.fromEntries(ROLES.map((role, index) => [role, answers[index] === null ? 'down' : 'up']));
  },
});

async function database(config: Config, log: Logger): Promise<{ url: string; stop(): Promise<void> }> {
  if (config.database.url) return { url: config.database.url, stop: async () => {} };
  return keepEmbeddedPostgres(config.dataDir, log);
}

/** Schema and first administrator, whose key is returned where it is new. */
async function prepare(
  url: string,
  config: Config,
  log: Logger,
): Promise<Pick<Service, 'adminKey' | 'signInLink' | 'databaseLine'>> {
  const pool = createPool(url, { max: 2, applicationName: 'energy start' });
  try {
    const { database } = await migrate(pool, config.database);
    log.info({ database: database.line }, 'database');
    const { environment, bootstrapAdminKey: givenKey } = config;
    const db = createDb(pool);
    // Here, so that a start ends with what is wrong, instead of roles that die again and again.
    await secretKey(config, db);
    const adminKey = await ensureBootstrapAdmin(db, { environment, givenKey });
    const link = adminKey === null ? null : await printedLink(db, config, ADMIN);
    return { adminKey, signInLink: link, databaseLine: database.line };
  } finally {
    await pool.end();
  }
}

const LOOK_EVERY_MS = 1_000;

/**
 * Starts the embedded PostgreSQL, and starts it again whenever it is gone (killed, or out of disk for a while): every
 * second, until it stands. Its users wait for it by themselves.
 */
export async function keepEmbeddedPostgres(
  dataDir: string,
  log: Logger,
): Promise<{ url: string; stop(): Promise<void> }> {
  const { url, stop } = await startEmbeddedPostgres({ dataDir });
  let complained = '';
  let looking: Promise<void> = Promise.resolve();
  let isLooking = false;
  const look = async () => {
    if (await isEmbeddedAlive(dataDir)) return;
    log.warn('PostgreSQL stopped, restarting it');
    try {
      await startEmbeddedPostgres({ dataDir });
      complained = '';
      log.info('PostgreSQL is running again');
    } catch (error) {
      const { message } = error as Error;
      if (message !== complained) log.error({ err: error }, 'PostgreSQL does not start, retrying every second');
      complained = message;
    }
  };
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    looking = look().finally(() => {
      isLooking = false;
    });
  }, LOOK_EVERY_MS);
  return {
    url,
    async stop() {
      clearInterval(timer);
      await looking;
      await stop();
    },
  };
}
