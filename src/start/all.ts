import { type OperatorDependencies, startOperatorListener } from '#src/api/operator.ts';
import { ensureBootstrapAdmin, FIRST_ADMIN_EMAIL } from '#src/auth/keys.ts';
import { formatArchiveSettings, startArchiver } from '#src/backup/archive.ts';
import { setDeletionRecording } from '#src/backup/deletion-records.ts';
import { readBackupPlan } from '#src/backup/plan.ts';
import { type Config, createChildEnvironment } from '#src/config/load.ts';
import { createLog, type Logger } from '#src/core/log.ts';
import { startLoop } from '#src/core/loop.ts';
import { ignoreOutputErrors } from '#src/core/output.ts';
import { createDatabase, createPool, runWithSeparatePool } from '#src/database/connect.ts';
import { isEmbeddedPostgresRunning, startEmbeddedPostgres } from '#src/database/embedded-postgres.ts';
import { migrate } from '#src/database/migrate.ts';
import { waitForDatabase } from '#src/database/unavailable.ts';
import { createBrokerAccess } from '#src/devices/broker-access.ts';
import { loadTlsPair } from './certificate.ts';
import { type SupervisedRole, startSupervisedRole } from './children.ts';
import { findServiceProcessId, lockDataDir } from './data-dir-lock.ts';
import { assertPortsFree, chooseFreePorts, writeListeningAddresses } from './ports.ts';
import { prepareRestoredInstallation } from './restored.ts';
import { startSandbox } from './sandbox.ts';
import { loadSecretKey } from './secret-key.ts';
import { createConsoleSignInLink } from './sign-in-link.ts';

const ROLES = ['ingest', 'api', 'worker'] as const;

/** The running service. */
interface RunningService {
  /** Key of the first administrator if this start created it, otherwise null. It is shown only once. */
  adminKey: string | null;
  signInLink: string | null;
  certFile: string;
  /** The configuration in use, including the ports that the start chose. */
  config: Config;
  databaseUrl: string;
  databaseLine: string;
  stop(): Promise<void>;
}

/**
 * Starts the service as a supervisor: the embedded database if no other is configured, and the three roles (ingest, API, worker) as child
 * processes. Resolves when all roles are ready. If `signal` aborts, stops everything and rejects.
 */
export async function startServiceProcesses(
  given: Config,
  signal: AbortSignal = new AbortController().signal,
): Promise<RunningService> {
  ignoreOutputErrors();
  const log = createLog('supervisor', given.log);
  const stops: (() => Promise<void> | void)[] = [];
  const stop = async () => {
    // Calls every stop function, even if one of them fails.
    for (const one of stops.splice(0).reverse()) {
      try {
        await one();
      } catch (error) {
        log.error({ err: error }, 'stop');
      }
    }
  };
  try {
    // The ports are checked before the data directory is created. If another service uses the directory, its lock reports the conflict
    // instead.
    if (findServiceProcessId(given.dataDir) === null) await assertPortsFree(given);
    stops.push(await lockDataDir(given.dataDir));
    const config = await chooseFreePorts(given);
    const tls = await loadTlsPair(config, log);
    stops.push(writeListeningAddresses(config));
    const { url, stop: stopDatabase } = await database(config, log);
    stops.push(stopDatabase);
    signal.throwIfAborted();
    const { databaseLine, ...first } = await prepare(url, config, log, signal);
    signal.throwIfAborted();
    const env = createChildEnvironment(config, url);
    const children = ROLES.map((role) => startSupervisedRole(role, env, log, config.api.drainSeconds * 1_000));
    stops.push(async () => void (await Promise.all(children.map((child) => child.stop()))));
    // Only this step can be aborted, because all following steps take only milliseconds.
    await Promise.race([Promise.all(children.map((child) => child.ready)), aborted(signal)]);
    if (config.environment === 'sandbox') stops.push(startSandbox(config, url, log).stop);
    const pool = createPool(url, { max: 2, applicationName: 'energy supervisor', isAnswering: true });
    stops.push(() => pool.end());
    const access = createBrokerAccess(createDatabase(pool), config.mqtt.url);
    const operator = await startOperatorListener(
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

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, fail) => signal.addEventListener('abort', () => fail(signal.reason), { once: true }));

/** Returns the metrics and the health of the roles. A role that does not answer is reported as down. */
const supervised = (children: readonly SupervisedRole[]): Pick<OperatorDependencies, 'metrics' | 'health'> => ({
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
  const plan = await readBackupPlan(config);
  const isArchiving = plan?.isArchiving ?? false;
  const server = await keepEmbeddedPostgresRunning(config.dataDir, log, formatArchiveSettings(isArchiving));
  if (!plan) return server;
  const { target, key } = plan;
  const open = key
    ? {}
    : {
        not_encrypted:
          'copies are not encrypted, and omit the secret key; energy backup init creates a key for BACKUP_KEY_FILE',
      };
  log.info({ target, wal: isArchiving, ...open }, 'back-ups');
  if (!isArchiving) return server;
  const archiver = await startArchiver(plan, log);
  const stop = async () => {
    // The archiver stops last, because the stopping database still archives its last WAL segment.
    await server.stop().finally(() => archiver.stop());
  };
  return { url: server.url, stop };
}

/**
 * Waits for the database, migrates the schema, and creates the first administrator. In a restored installation, first deletes again what
 * was deleted after the backup. Returns the administrator's key if it is new.
 */
async function prepare(
  url: string,
  config: Config,
  log: Logger,
  signal: AbortSignal,
): Promise<Pick<RunningService, 'adminKey' | 'signInLink' | 'databaseLine'>> {
  return runWithSeparatePool(url, { max: 2, applicationName: 'energy start' }, async (pool) => {
    await waitForDatabase(pool, log, signal);
    const { database } = await migrate(pool, config.database);
    log.info({ database: database.line }, 'database');
    await setDeletionRecording(pool, config.database.url === undefined);
    await prepareRestoredInstallation(pool, config.dataDir, log);
    const { environment, bootstrapAdminKey: givenKey } = config;
    const db = createDatabase(pool);
    // The secret key is checked here, because a role with a wrong key would be restarted endlessly.
    await loadSecretKey(config, db);
    const adminKey = await ensureBootstrapAdmin(db, { environment, givenKey });
    const link = adminKey === null ? null : await createConsoleSignInLink(db, config, FIRST_ADMIN_EMAIL);
    return { adminKey, signInLink: link, databaseLine: database.line };
  });
}

const LOOK_EVERY_MS = 1_000;

/** Starts the embedded PostgreSQL server, and restarts it if it stops. */
async function keepEmbeddedPostgresRunning(
  dataDir: string,
  log: Logger,
  extraSettings = '',
): Promise<{ url: string; stop(): Promise<void> }> {
  const { url, stop } = await startEmbeddedPostgres({ dataDir, extraSettings });
  let complained = '';
  const look = async () => {
    if (await isEmbeddedPostgresRunning(dataDir)) return 0;
    log.warn('PostgreSQL stopped, restarting it');
    try {
      await startEmbeddedPostgres({ dataDir, extraSettings });
      complained = '';
      log.info('PostgreSQL is running again');
    } catch (error) {
      const { message } = error as Error;
      if (message !== complained) log.error({ err: error }, 'PostgreSQL does not start, retrying every second');
      complained = message;
    }
    return 0;
  };
  const loop = startLoop('embedded PostgreSQL', look, LOOK_EVERY_MS, log);
  return {
    url,
    async stop() {
      await loop.stop();
      await stop();
    },
  };
}
