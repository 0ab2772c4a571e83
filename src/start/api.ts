import { createMessageDiagnoser } from '#ingest/gateways/diagnose-message.ts';
import { createHttpsReadingsWriter } from '#ingest/https-readings.ts';
import { listRejectedMessages, replayRejectedMessages } from '#ingest/replay-rejected.ts';
import { startApi } from '#src/api/start.ts';
import { ensureBootstrapAdmin } from '#src/auth/keys.ts';
import { getSignInLink, SIGN_IN_VALIDITY_MS } from '#src/auth/sign-ins.ts';
import { createDeletionRecordWriter } from '#src/backup/deletion-records.ts';
import { readBackupPlan } from '#src/backup/plan.ts';
import type { Config } from '#src/config/load.ts';
import { systemClock } from '#src/core/clock.ts';
import { createLog } from '#src/core/log.ts';
import { startBelievedTimeUpdates } from '#src/database/believed-time.ts';
import type { Capabilities } from '#src/database/capabilities.ts';
import { createDatabase, createPool, getSessionSettingsOfRole, type Pool } from '#src/database/connect.ts';
import { findDatabaseUrl } from '#src/database/locate.ts';
import { migrate } from '#src/database/migrate.ts';
import { waitForDatabase } from '#src/database/unavailable.ts';
import { composeSignInMail, sendMail } from '#src/delivery/email/send.ts';
import { loadTlsPair, watchCertificate } from './certificate.ts';
import { openMailer, openPriceSourceFetcher } from './channels.ts';
import { runDoctor } from './doctor-process.ts';
import { readStandbyMetrics, registerCertificateMetric, STANDBY_METRICS } from './metrics.ts';
import { runRole, warnOfDurabilityRisks } from './role.ts';
import { loadSecretKey } from './secret-key.ts';

/** Maximum time for an SQL statement of a request, in ms. After this time the API answers 503. */
const MAX_STATEMENT_MS = 20_000;

/** Runs the API role, which serves HTTPS. */
export async function runApi(config: Config): Promise<void> {
  const log = createLog('api', config.log);
  await runRole('api', config, log, async (metrics) => {
    const url = await findDatabaseUrl(config);
    const { pool, readPool, longPool } = openPools(url, config.database.readUrl);
    await waitForDatabase(longPool, log);
    const { database } = await migrate(longPool, config.database);
    await warnOfDurabilityRisks(pool, url, log);
    const { environment, bootstrapAdminKey: givenKey } = config;
    if (givenKey !== undefined) await ensureBootstrapAdmin(createDatabase(pool), { environment, givenKey });
    const tls = await loadTlsPair(config, log);
    const mailer = openMailer(config);
    const { retentionMonths, maxChannels } = config;
    const believed = await startBelievedTimeUpdates(pool, { clock: systemClock, log });
    const fetcher = await openPriceSourceFetcher(config);
    const backup = await readBackupPlan(config);
    const api = await startApi(config, {
      writeEndedObjects: backup && createDeletionRecordWriter(pool, backup, log),
      runDoctor,
      pool,
      readPool,
      tls,
      secret: await loadSecretKey(config, createDatabase(pool)),
      mailSignIn: async (email, { token, code, user_id: userId }, language) => {
        const link = getSignInLink(api.publicUrl, token);
        const mail = await composeSignInMail({ link, code, validMinutes: SIGN_IN_VALIDITY_MS / 60_000 }, language);
        return sendMail(mailer, { publicUrl: api.publicUrl, from: config.mail.from }, { userId, email }, mail);
      },
      fetchAnswer: fetcher.fetchAnswer,
      ...portsWithoutTimeLimit(longPool, database.capabilities, config),
      sentReadings: createHttpsReadingsWriter(pool, { retentionMonths, maxChannels, believed, log }),
      metrics,
      log,
    });
    const certificate = watchCertificate(config, tls, api.renewTls, log);
    registerCertificateMetric(metrics, certificate);
    metrics.valuesOf(STANDBY_METRICS, async () =>
      readStandbyMetrics(config.database.readUrl !== undefined, api.standbyLagSeconds()),
    );
    return {
      ready: { url: api.publicUrl, ...api.ports, database: database.line },
      pool,
      url,
      leavesForMs: config.api.drainSeconds * 1_000,
      async stop() {
        certificate.stop();
        believed.stop();
        await api.stop();
        fetcher.close();
        mailer.close();
        await Promise.all([...new Set([pool, readPool, longPool])].map((one) => one.end()));
      },
    };
  });
}

/** Creates the dependencies of the API whose SQL statements may run longer than `MAX_STATEMENT_MS`. */
function portsWithoutTimeLimit(
  pool: Pool,
  capabilities: Capabilities,
  { retentionMonths, maxChannels }: Config,
): Pick<Parameters<typeof startApi>[1], 'judge' | 'rejected' | 'rollups'> {
  return {
    judge: createMessageDiagnoser(pool),
    rejected: {
      list: (which, page) => listRejectedMessages(pool, which, page),
      replay: (which, signal, whileAllowed) =>
        replayRejectedMessages(pool, which, { retentionMonths, maxChannels, signal, whileAllowed }),
    },
    rollups: { pool, capabilities, retentionMonths },
  };
}

/** Opens the database pools of the API. `longPool`, for migrations, checks and replays, has no time limit for statements. */
function openPools(url: string, readUrl: string | undefined): { pool: Pool; readPool: Pool; longPool: Pool } {
  const sessions = getSessionSettingsOfRole('api');
  const settings = [...sessions, `statement_timeout=${MAX_STATEMENT_MS}`];
  const open = (url: string, name: string, more: Omit<Parameters<typeof createPool>[1], 'applicationName'>) =>
    createPool(url, { ...more, applicationName: name, isAnswering: true });
  const pool = open(url, 'energy api', { max: 10, settings });
  return {
    pool,
    readPool: readUrl ? open(readUrl, 'energy api read', { max: 10, settings, wanted: 'standby' }) : pool,
    longPool: open(url, 'energy api long', { max: 3, settings: sessions }),
  };
}
