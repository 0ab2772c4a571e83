import { mkdir } from 'node:fs/promises';
import { evaluateChangedHours } from '#src/alerts/evaluate-changes.ts';
import { startAlertEvaluator } from '#src/alerts/pool.ts';
import { writeDeletionRecords } from '#src/backup/deletion-records.ts';
import { readBackupPlan } from '#src/backup/plan.ts';
import type { Config } from '#src/config/load.ts';
import { type Clock, systemClock } from '#src/core/clock.ts';
import { createLog, type Logger } from '#src/core/log.ts';
import { type Loop, startLoop } from '#src/core/loop.ts';
import type { Metrics } from '#src/core/metrics.ts';
import { createSecretEncrypter } from '#src/core/secrets.ts';
import { startBelievedTimeUpdates } from '#src/database/believed-time.ts';
import {
  createDatabase,
  createPool,
  type Database,
  getSessionSettingsOfRole,
  type Pool,
} from '#src/database/connect.ts';
import { findDatabaseUrl } from '#src/database/locate.ts';
import { migrate } from '#src/database/migrate.ts';
import { waitForDatabase } from '#src/database/unavailable.ts';
import { createDispatcher } from '#src/delivery/dispatch.ts';
import { publishUsageUpdates } from '#src/delivery/usage-updated.ts';
import { readDiskSpace } from '#src/jobs/disk-watch.ts';
import { JOBS } from '#src/jobs/jobs.ts';
import { startJobs } from '#src/jobs/schedule.ts';
import { fetchDueSource } from '#src/tariffs/sources/fetch-due.ts';
import { startBackupReports } from './backup.ts';
import { openDeliveryChannels, openPriceSourceFetcher } from './channels.ts';
import {
  cacheForDuration,
  DEVICE_COUNT_METRICS,
  OUTBOX_METRICS,
  QUEUE_METRICS,
  readDeviceCounts,
  readOutboxMetrics,
  readQueueMetrics,
} from './metrics.ts';
import { runRole, warnOfDurabilityRisks } from './role.ts';
import { loadSecretKey } from './secret-key.ts';

/** Interval in ms at which each loop of the worker checks for work. */
const LOOK_MS = { alerts: 200, usage: 1_000, deliveries: 200, sources: 1_000, endings: 500 };
/** Number of price and emission sources that a worker fetches concurrently. */
const FETCHES_AT_ONCE = 4;

/** Cache lifetime in ms of the device metrics, whose query reads every device. */
const COUNTED_EVERY_MS = 60_000;

/** Runs the worker role: alerts, events and their delivery, and jobs. */
export async function runWorker(config: Config): Promise<void> {
  const log = createLog('worker', config.log);
  await runRole('worker', config, log, async (metrics) => {
    const url = await findDatabaseUrl(config);
    const pool = createPool(url, {
      max: 10,
      applicationName: 'energy worker',
      settings: getSessionSettingsOfRole('worker'),
    });
    await waitForDatabase(pool, log);
    const { database } = await migrate(pool, config.database);
    await warnOfDurabilityRisks(pool, url, log);
    const { capabilities } = database;
    const { retentionMonths, dataDir } = config;
    const backup = await readBackupPlan(config);
    // Creates the data directory, because the worker may be the first process to start on a new disk.
    await mkdir(dataDir, { recursive: true });
    const db = createDatabase(pool);
    const ahead = { daysToPack: 0 };
    const believed = await startBelievedTimeUpdates(pool, { clock: systemClock, log });
    const clocks = { clock: systemClock, ageClock: believed.ageClock };
    const jobs = startJobs(JOBS, { pool, db, ...clocks, capabilities, retentionMonths, dataDir, backup, log, ahead });
    const stopReports = backup && startBackupReports(config, backup, { db, metrics, log });
    const endings = backup && startLoop('endings', () => writeDeletionRecords(pool, backup), LOOK_MS.endings, log);
    const stopFetching = await startFetching(config, db, { log });
    const stopTelling = await startTelling(config, pool, { metrics, log, ...clocks });
    const { homeAssistant } = config;
    const stopHomeAssistant =
      homeAssistant &&
      // The module is imported only if needed, because the MQTT client is large.
      (await import('#src/homeassistant/publish.ts')).startHomeAssistantPublisher(
        { ...homeAssistant, publicUrl: config.isPublicUrlGiven ? config.publicUrl : null },
        { pool, clock: systemClock, log, secret: await loadSecretKey(config, db) },
      );
    reportState(metrics, pool, dataDir, ahead);
    return {
      ready: { database: database.line, jobs: jobs.names },
      pool,
      url,
      async stop() {
        believed.stop();
        await Promise.all([
          jobs.stop(),
          stopTelling(),
          stopFetching(),
          stopHomeAssistant?.(),
          stopReports?.(),
          endings?.stop(),
        ]);
        await pool.end();
      },
    };
  });
}

/** Registers gauges of the queues, the devices, the days of the load profile that are still to be packed, and the disk. */
function reportState(metrics: Metrics, pool: Pool, dataDir: string, ahead: { daysToPack: number }): void {
  metrics.valuesOf(QUEUE_METRICS, () => readQueueMetrics(pool));
  metrics.valuesOf(OUTBOX_METRICS, () => readOutboxMetrics(pool));
  metrics.valuesOf(
    DEVICE_COUNT_METRICS,
    cacheForDuration(() => readDeviceCounts(pool), COUNTED_EVERY_MS),
  );
  const toPack = { energy_days_to_pack: 'Days of the load profile that must still be packed, during a pass' };
  metrics.valuesOf(toPack, async () => ({ energy_days_to_pack: ahead.daysToPack }));
  const disk = {
    energy_data_dir_free_bytes: 'Free space on the disk of DATA_DIR',
    energy_data_dir_size_bytes: 'Size of the disk of DATA_DIR',
  };
  metrics.valuesOf(disk, async () => {
    const { freeBytes, allBytes } = await readDiskSpace(dataDir);
    return { energy_data_dir_free_bytes: freeBytes, energy_data_dir_size_bytes: allBytes };
  });
}

/** Starts the loops that fetch price and emission series. Returns a function that stops them. */
async function startFetching(config: Config, db: Database, { log }: { log: Logger }): Promise<() => Promise<void>> {
  const { fetchAnswer, close } = await openPriceSourceFetcher(config);
  const stopping = new AbortController();
  const box = createSecretEncrypter(await loadSecretKey(config, db));
  const parts = { db, box, fetchAnswer, clock: systemClock, stopping: stopping.signal };
  const loops = Array.from({ length: FETCHES_AT_ONCE }, () =>
    startLoop('sources', () => fetchDueSource(parts), LOOK_MS.sources, log),
  );
  return async () => {
    stopping.abort();
    close();
    await Promise.all(loops.map((loop) => loop.stop()));
  };
}

/** Starts the loops that evaluate alerts, create events and deliver them. Returns a function that stops them. */
async function startTelling(
  config: Config,
  pool: Pool,
  { metrics, log, clock, ageClock }: { metrics: Metrics; log: Logger; clock: Clock; ageClock: Clock },
): Promise<() => Promise<void>> {
  const evaluator = startAlertEvaluator();
  const { channels, close } = await openDeliveryChannels(
    config,
    createDatabase(pool),
    await loadSecretKey(config, createDatabase(pool)),
  );
  const tries = Object.keys(channels).flatMap((channel) =>
    ['succeeded', 'failed'].map((result) => ({ channel, result })),
  );
  const countTry = metrics.counter(
    'energy_deliveries_tried_total',
    'Attempts to deliver an event',
    ['channel', 'result'],
    tries,
  );
  const onTried = (channel: string, result: string) => countTry({ channel, result });
  const dispatcher = createDispatcher({
    pool,
    channels,
    clock,
    ageClock,
    log,
    onTried,
    onDone: () => deliveries.kick(),
  });
  const counts = { evaluated: 0, fired: 0 };
  metrics.countOf('energy_alert_periods_evaluated_total', 'Evaluated periods of alerts', () => counts.evaluated);
  metrics.countOf('energy_alerts_fired_total', 'Fired alerts on usage', () => counts.fired);
  const waiting = { energy_evaluations_waiting: 'Batches that wait for a thread' };
  metrics.valuesOf(waiting, async () => ({ energy_evaluations_waiting: evaluator.waiting() }));

  const deliveries = startLoop('deliveries', () => dispatcher.pass(), LOOK_MS.deliveries, log);
  const evaluate = async () => {
    const { changes, hasMore, candidates, fired, faults } = await evaluateChangedHours(pool, evaluator, clock());
    for (const { userId, error } of faults) log.error({ err: error, userId }, 'costs of a user’s alerts failed');
    counts.evaluated += candidates;
    counts.fired += fired;
    if (fired > 0) deliveries.kick();
    // Hours that change during a pass wait for the next pass, so that many readings are evaluated together.
    return hasMore ? changes : 0;
  };
  const publishUsageNow = () => publishUsageUpdates(pool, clock());
  const loops: Loop[] = [
    ...Array.from({ length: evaluator.lanes }, () => startLoop('alerts', evaluate, LOOK_MS.alerts, log)),
    startLoop('usage', publishUsageNow, LOOK_MS.usage, log),
    deliveries,
  ];
  return async () => {
    await Promise.all(loops.map((loop) => loop.stop()));
    await dispatcher.settle();
    await evaluator.close();
    close();
  };
}
