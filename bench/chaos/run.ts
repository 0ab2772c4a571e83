import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from '#src/database/connect.ts';
import { isIsolatedRun, restartOnIsolatedServer } from '../isolated-run.ts';
import { formatBenchmarkHelp, isHelpRequested } from '../questions.ts';
import type { PairedDevice } from '../support.ts';
import { describeTimeout, scaleTimeLimitMs } from '../time-limits.ts';
import type { Fault } from './fault.ts';
import { createFaults } from './faults.ts';
import { type RetryingFleet, startFleet } from './fleet.ts';
import { startHttpsFleet } from './https-fleet.ts';
import { type Installation, startChaosInstallation } from './installation.ts';
import { countStoredReadings, countStoredRows, waitUntilMessagesStored } from './stored-readings.ts';

/** Maximum number of log lines shown. */
const LAST_LINES = 30;

/** SQL queries that show the state of the database if acknowledged messages are missing. */
const QUESTIONS = {
  stored: `SELECT device_id, count(*)::int AS readings, min(read_at), max(read_at) FROM readings JOIN series USING (series_id) GROUP BY 1 ORDER BY 1`,
  rejected: 'SELECT device_id, reason, count(*)::int FROM rejected_messages GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 10',
  slots: 'SELECT * FROM ingest_slots ORDER BY number',
  sessions: `SELECT pid, state, wait_event_type, wait_event, (now() - xact_start)::text AS transaction, left(query, 100) AS query
    FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() ORDER BY xact_start`,
  waiting:
    'SELECT pid, locktype, relation::regclass::text, mode, pg_blocking_pids(pid) AS blocked_by FROM pg_locks WHERE NOT granted',
};

/**
 * Returns the results of the queries in `QUESTIONS` as text, with the last lines of the logs. If a query fails, the text contains the
 * reason.
 */
async function diagnosis(pool: Pool, logs: string): Promise<string> {
  const found: string[] = [];
  for (const [name, question] of Object.entries(QUESTIONS)) {
    const rows = await pool.query(question).then(
      (result) => result.rows.map((row) => JSON.stringify(row)),
      (error: Error) => [error.message],
    );
    found.push(`${name}:`, ...rows.map((row) => `  ${row}`));
  }
  for (const log of ['service.log', 'mosquitto.log']) {
    const text = await readFile(join(logs, log), 'utf8').catch(() => '');
    found.push(`${log}:`, ...text.trimEnd().split('\n').slice(-LAST_LINES));
  }
  return found.join('\n');
}

/** Result of a run with one fault. */
interface FaultResult {
  fault: string;
  broker: string;
  sent: number;
  acknowledged: number;
  /** Maximum number of readings acknowledged within one second. */
  mostPerS: number;
  stored: number;
  /** Messages that were acknowledged but not stored. */
  lost: number;
  /** Messages that were stored or counted more than once. */
  double: number;
  /** Time from the end of the fault to the next stored reading, in seconds. */
  recoveryS: number;
  /** Whether the broker may lose acknowledged messages. */
  brokerForgets: boolean;
  /** Name of the wait that timed out; null if all messages arrived. */
  gaveUp: string | null;
  /** Growth of the ingest worker's memory during the fault, and its maximum, in MiB. */
  grownMib?: number;
  mostMib?: number;
  /** Description of the service's state, if messages are missing that the broker should not have lost. */
  diagnosis?: string;
}

const DEVICES = 10;
const PER_SECOND = 1_000;
const SETTLE_MS = 90_000;
/** Time in ms without a new reading after which no more readings are expected. It is long, because queued messages are processed first. */
const QUIET_MS = 60_000;
/** Like `QUIET_MS`, if the broker may have lost messages. The time is shorter, because lost messages never arrive. */
const FORGOTTEN_MS = 10_000;
const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Starts an installation with the broker and the disk that the fault needs. */
export const startInstallationForFault = ({ broker, persistence, diskMb, hasClock }: Fault): Promise<Installation> =>
  startChaosInstallation({
    broker,
    ...(persistence === undefined ? {} : { persistence }),
    ...(diskMb === undefined ? {} : { diskMb }),
    ...(hasClock === undefined ? {} : { hasClock }),
  });

/** Makes devices together send `perSecond` readings per second, injects the fault while they send, and counts the stored messages. */
export async function injectFault(
  installation: Installation,
  fault: Fault,
  perSecond = PER_SECOND,
): Promise<FaultResult> {
  const { broker } = fault;
  const players = await installation.players(DEVICES);
  const rate = Math.min(perSecond, fault.perSecond ?? perSecond);
  const fleet =
    fault.transport === 'https'
      ? await startHttpsFleet(installation.pool, installation.apiPort, players, rate)
      : startFleet(installation.brokerUrl, players, rate);
  const rates = sampleRates(fleet);
  await wait(1_500);
  const mibBefore = residentMib(installation);
  await fault.harm(installation);
  const grownMib = residentMib(installation) - mibBefore;
  const recovery = await untilMoreIsStored(installation.pool, players);
  await wait(1_500);
  await fleet.finish();
  const mostPerS = rates.stop();
  const quietMs = fault.brokerForgets ? FORGOTTEN_MS : QUIET_MS;
  await waitUntilMessagesStored(() => countStoredRows(installation.pool, players), fleet.acknowledged, quietMs);
  const counted = await countStoredReadings(installation.pool, players);
  const { sent, acknowledged } = fleet;
  const isMissing = acknowledged > counted.stored && !fault.brokerForgets;
  const stillMissing = isMissing
    ? describeTimeout(`${acknowledged - counted.stored} acknowledged readings are not stored`, quietMs)
    : null;
  return {
    ...(isMissing ? { diagnosis: await diagnosis(installation.pool, installation.logs) } : {}),
    fault: fault.name,
    broker,
    sent,
    acknowledged,
    mostPerS,
    stored: counted.stored,
    lost: acknowledged - counted.stored,
    double: counted.double,
    recoveryS: recovery.seconds,
    gaveUp: recovery.gaveUp ?? stillMissing,
    brokerForgets: fault.brokerForgets ?? false,
    ...(fault.maxGrowthMib === undefined ? {} : { grownMib: Math.round(grownMib), mostMib: fault.maxGrowthMib }),
  };
}

/** Measures how many readings of a fleet are acknowledged in each second. `stop` returns the highest number. */
function sampleRates(fleet: RetryingFleet): { stop(): number } {
  let [last, most] = [0, 0];
  const timer = setInterval(() => {
    most = Math.max(most, fleet.acknowledged - last);
    last = fleet.acknowledged;
  }, 1_000);
  return {
    stop() {
      clearInterval(timer);
      return most;
    },
  };
}

/** Returns the resident memory of the ingest worker in MiB, from /proc/PID/statm; 0 if it is not running. */
function residentMib({ pidsOf }: Installation): number {
  const [pid] = pidsOf('energy ingest');
  return pid === undefined ? 0 : Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) / 256;
}

async function untilMoreIsStored(
  pool: Pool,
  players: readonly PairedDevice[],
): Promise<{ seconds: number; gaveUp: string | null }> {
  const from = performance.now();
  const done = (gaveUp: string | null) => ({ seconds: Math.round((performance.now() - from) / 100) / 10, gaveUp });
  let first: number | undefined;
  while (performance.now() - from < scaleTimeLimitMs(SETTLE_MS)) {
    const stored = await countStoredRows(pool, players).catch(() => undefined);
    if (stored !== undefined) {
      first ??= stored;
      if (stored > first) return done(null);
    }
    await wait(50);
  }
  return done(describeTimeout('no new reading is stored after the fault', SETTLE_MS));
}

if (import.meta.main) {
  const [, , ...flags] = process.argv;
  if (isHelpRequested(flags)) {
    console.log(formatBenchmarkHelp('chaos'));
    process.exit(0);
  }
  if (!isIsolatedRun()) await restartOnIsolatedServer();
  if (flags[0] === 'cluster') {
    const { runClusterChaos: chaosOfCluster } = await import('./cluster/run.ts');
    process.exit(await chaosOfCluster(flags.slice(1)));
  }
  if (flags[0] === 'cells') {
    const { runCellsChaos } = await import('./cells/run.ts');
    process.exit(await runCellsChaos(flags.slice(1)));
  }
  const wanted = flags.filter((flag) => !flag.startsWith('--'));
  const rows: FaultResult[] = [];
  const scale = { floodS: 10, queuedMessages: 100_000, apiKills: 8, unreleasedSessions: 30 };
  for (const fault of createFaults(scale).filter(({ name }) => wanted.every((word) => name.includes(word)))) {
    process.stderr.write(`${fault.broker}: ${fault.name} …\n`);
    const installation = await startInstallationForFault(fault);
    rows.push(await injectFault(installation, fault).finally(() => installation.remove()));
    if (!flags.includes('--json')) console.table(rows.slice(-1).map(shown));
  }
  if (flags.includes('--json')) console.log(JSON.stringify(rows));
  else console.table(rows.map(shown));
  const isBad = rows.some(
    ({ lost, double, brokerForgets, gaveUp, grownMib = 0, mostMib = 0 }) =>
      gaveUp !== null || double > 0 || (lost > 0 && !brokerForgets) || grownMib > mostMib,
  );
  process.exit(isBad ? 1 : 0);
}

function shown({ brokerForgets, lost, diagnosis: why, gaveUp, ...row }: FaultResult) {
  if (gaveUp !== null) process.stderr.write(`${row.fault}: ${gaveUp}\n`);
  if (why !== undefined) process.stderr.write(`${why}\n`);
  return { ...row, lost: brokerForgets ? `${lost} (by the broker)` : lost };
}
