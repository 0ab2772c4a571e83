import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findMissingRequirements } from '../../../test/support/setup/needs.ts';
import { describeTimeout, scaleTimeLimitMs } from '../../time-limits.ts';
import { createClusterFaults, NETWORK_AND_DISK_FAULTS } from './faults.ts';
import {
  type PublishingHome,
  type PublishingHomeGroup,
  startHomes,
  waitUntilHomesFinish,
  waitUntilHomesResume,
} from './homes.ts';
import { type Cluster, installCluster } from './installation.ts';
import {
  describeHomesWithMissingReadings,
  type FaultEffect,
  type FaultTargetInstallation,
  formatFaultEffect,
  injectAndMeasureFault,
  MAX_RECOVERY_MS,
  printDeliveryRetries,
  printRunDifferences,
  printToStderr,
  selectFaultsByName,
} from './measure-fault.ts';
import {
  explainMissingNetworkNamespaces,
  isRunningInNetworkNamespace,
  rerunInNetworkNamespace,
} from './network-links.ts';
import { compareFinalState, countOutOfOrderReadings, type FinalStateVerdict } from './verdict.ts';

/**
 * Describes the homes that wait and the queues of each broker that responds. The output contains this description if readings do not
 * resume.
 */
async function diagnosis({ rabbit }: Cluster, homes: readonly PublishingHome[]): Promise<string> {
  const columns = ['name', 'messages_ready', 'messages_unacknowledged', 'consumers', 'leader', 'online'];
  const asked = (rabbit?.nodes ?? []).map(async (node) => {
    const queues = await node.ctl('-q', '-t', '15', 'list_queues', ...columns).catch((error: Error) => error.message);
    const waiting = queues.split('\n').filter((line) => !/\t0\t0\t/.test(line));
    return [`  ${node.name} says:`, ...waiting.slice(0, 20).map((line) => `    ${line}`)];
  });
  return ['late:', ...describeHomesWithMissingReadings(homes), ...(await Promise.all(asked)).flat()].join('\n');
}

const HOMES = 30;
const CALM_S = 10;
/** Time reserved for the comparison at the end of a run. */
const JUDGE_MS = 60_000;
/** Maximum time of a fault including its recovery, in ms. A fault is started only if this much time remains. */
const FAULT_MS = 60_000;
const NEEDED = /^(RabbitMQ|Patroni)/;

/** Options of the command line. */
interface ChaosPlan {
  isEmbedded: boolean;
  isJson: boolean;
  /** Words that select faults by their names. Empty: all faults. */
  words: string[];
  minutes: number;
  /** How often each fault is injected. */
  times: number;
  /** Folder for the logs of the brokers. */
  logs: string | undefined;
}

/** Reads the arguments. Throws if `--minutes` is too small. */
function parsePlan(flags: readonly string[]): ChaosPlan {
  const flagValue = (name: string) => flags.find((flag) => flag.startsWith(`--${name}=`))?.split('=')[1];
  const minutes = Number(flagValue('minutes') ?? 25);
  if (!(minutes >= 2)) throw new Error('--minutes is 2 at least: a cluster takes one to start');
  return {
    isEmbedded: flagValue('brokers') === 'embedded',
    isJson: flags.includes('--json'),
    words: flags.filter((flag) => !flag.startsWith('--')),
    minutes,
    times: Number(flagValue('times') ?? 1),
    logs: flagValue('logs'),
  };
}

/** Runs `npm run chaos -- cluster [names of faults] [--brokers=rabbitmq|embedded] [--minutes=25] [--times=1] [--json]`. Returns the exit code. */
export async function runClusterChaos(flags: readonly string[]): Promise<number> {
  const missing = findMissingRequirements().filter(({ name }) => NEEDED.test(name));
  for (const { name, how } of missing) console.log(`NOT RUN: ${name} is missing. To have it: ${how}.`);
  if (missing.length > 0) return 2;
  const plan = parsePlan(flags);
  const { isEmbedded, logs } = plan;
  const noLines = isEmbedded ? null : explainMissingNetworkNamespaces();
  if (noLines === null && !isEmbedded && !isRunningInNetworkNamespace()) return rerunInNetworkNamespace();
  const untilMs = Date.now() + plan.minutes * 60_000;
  printToStderr(`${isEmbedded ? 'HAProxy' : 'three brokers'}, three etcd, two databases, two of each role …`);
  const cluster = await installCluster({ isEmbedded });
  let homes: PublishingHomeGroup | undefined;
  try {
    const { pool, entrances } = cluster;
    homes = await startHomes({ places: [{ pool }], entrances }, HOMES, plan.minutes);
    await begin(homes);
    const calm = await countOutOfOrderReadings(pool);
    const endured = await endureAll(cluster, homes, { ...plan, untilMs });
    printToStderr('comparing …');
    await waitUntilHomesFinish(homes, scaleTimeLimitMs(JUDGE_MS) / 2);
    const verdict = await compareFinalState({ pools: [pool], receiver: cluster.receiver }, homes.all, {
      cutOff: endured.rows.filter((row) => row.cutsDeliveries),
      withinMs: scaleTimeLimitMs(JUDGE_MS),
    });
    return report({ ...endured, calm, verdict, noLines }, plan);
  } finally {
    await homes?.close();
    if (logs) for (const node of cluster.rabbit?.nodes ?? []) writeFileSync(join(logs, `${node.name}.log`), node.log());
    await cluster.remove();
  }
}

const goOn = (homes: readonly PublishingHome[]) => waitUntilHomesResume(homes, scaleTimeLimitMs(MAX_RECOVERY_MS));

async function begin({ all }: PublishingHomeGroup): Promise<void> {
  if (!(await goOn(all)))
    throw new Error(describeTimeout('not every home has a reading stored, before any fault', MAX_RECOVERY_MS));
  printToStderr(`${HOMES} homes publish; ${CALM_S} s of calm …`);
  await pause(CALM_S * 1_000);
}

/** Injects the faults one after the other. `notRun`: faults for which no time was left before `untilMs`. */
async function endureAll(
  cluster: Cluster,
  homes: PublishingHomeGroup,
  { words, times, untilMs }: ChaosPlan & { untilMs: number },
): Promise<{ rows: FaultEffect[]; notRun: string[] }> {
  const subject: FaultTargetInstallation = {
    ...{ homes, receiver: cluster.receiver },
    prepare: async () => cluster.rabbit?.rebalance(),
    ready: () => cluster.patroni.ready(),
    diagnosis: () => diagnosis(cluster, homes.all),
  };
  const rows: FaultEffect[] = [];
  const notRun: string[] = [];
  const once = selectFaultsByName(
    createClusterFaults(cluster, () => goOn(homes.all)),
    words,
  );
  for (const fault of Array.from({ length: times }, () => once).flat()) {
    if (Date.now() + scaleTimeLimitMs(FAULT_MS + JUDGE_MS) > untilMs) {
      notRun.push(fault.name);
      continue;
    }
    printToStderr(`${new Date().toISOString()} ${fault.name} …`);
    const row = await injectAndMeasureFault(subject, fault);
    rows.push(row);
    printToStderr(`  ${formatFaultEffect(row)}`);
  }
  return { rows, notRun };
}

interface Report {
  rows: readonly FaultEffect[];
  notRun: readonly string[];
  calm: number;
  verdict: FinalStateVerdict;
  /** Reason why this machine does not allow private network links; null if it allows them, or if the run needs none. */
  noLines: string | null;
}

/** Prints the result. Returns the exit code. */
function report({ rows, notRun, calm, verdict, noLines }: Report, { isJson, minutes }: ChaosPlan): number {
  const { faults, differences, retries, ...counted } = verdict;
  const result = { outOfOrderInCalm: calm, ...counted, ...faults };
  if (isJson) console.log(JSON.stringify({ faults: rows, notRun, result, differences, retries }));
  else {
    console.table(
      rows.map(({ fault, acknowledged, stored, alert, goal }) => ({ fault, acknowledged, stored, alert, goal })),
    );
    console.table(result);
  }
  if (calm > 0) printToStderr(`WRONG: ${calm} readings were stored out of order before any fault`);
  printRunDifferences(differences);
  printDeliveryRetries(retries);
  if (noLines !== null) for (const name of NETWORK_AND_DISK_FAULTS) printToStderr(`NOT RUN: ${name}: ${noLines}`);
  for (const name of notRun) printToStderr(`NOT RUN: ${name}: no time left (--minutes=${minutes})`);
  return notRun.length === 0 && rows.every((row) => row.goesOn) && differences.length + calm === 0 ? 0 : 1;
}
