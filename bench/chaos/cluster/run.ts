import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findMissingRequirements } from '../../../test/support/setup/needs.ts';
import { describeTimeout, scaleTimeLimitMs } from '../../time-limits.ts';
import {
  chooseFaults,
  describeLateHomes,
  endureFault,
  type FaultRow,
  formatRow,
  PATIENCE_MS,
  say,
  sayDifferences,
  sayRetries,
} from './endure.ts';
import { createClusterFaults, NETWORK_AND_DISK_FAULTS } from './faults.ts';
import { type Home, type Homes, startHomes, waitUntilHomesResume } from './homes.ts';
import { type Cluster, installCluster } from './installation.ts';
import { explainMissingNetwork, isInNamespaces, runInNamespaces } from './lines.ts';
import { compareFinalState, countOutOfOrderReadings } from './verdict.ts';

/** Describes the waiting homes, and the queues of each broker that responds, if readings do not resume. */
async function diagnosis({ rabbit }: Cluster, homes: readonly Home[]): Promise<string> {
  const columns = ['name', 'messages_ready', 'messages_unacknowledged', 'consumers', 'leader', 'online'];
  const asked = (rabbit?.nodes ?? []).map(async (node) => {
    const said = await node.ctl('-q', '-t', '15', 'list_queues', ...columns).catch((error: Error) => error.message);
    const waiting = said.split('\n').filter((line) => !/\t0\t0\t/.test(line));
    return [`  ${node.name} says:`, ...waiting.slice(0, 20).map((line) => `    ${line}`)];
  });
  return ['late:', ...describeLateHomes(homes), ...(await Promise.all(asked)).flat()].join('\n');
}

const HOMES = 30;
const CALM_S = 10;
/** Time reserved for the comparison at the end. */
const JUDGE_MS = 60_000;
/** Maximum time of a fault including its recovery. A fault that may not finish in the remaining time is not started. */
const FAULT_MS = 60_000;
const NEEDED = /^(RabbitMQ|Patroni)/;

/** Runs `npm run chaos -- cluster [names of faults] [--brokers=rabbitmq|embedded] [--minutes=25] [--times=1] [--json]`. Returns the exit code. */
export async function runClusterChaos(flags: readonly string[]): Promise<number> {
  const missing = findMissingRequirements().filter(({ name }) => NEEDED.test(name));
  for (const { name, how } of missing) console.log(`NOT RUN: ${name} is missing. To have it: ${how}.`);
  if (missing.length > 0) return 2;
  const isEmbedded = flags.includes('--brokers=embedded');
  const noLines = isEmbedded ? null : explainMissingNetwork();
  if (noLines === null && !isEmbedded && !isInNamespaces()) return runInNamespaces();
  const words = flags.filter((flag) => !flag.startsWith('--'));
  const numberOf = (name: string, usual: number) =>
    Number(flags.find((flag) => flag.startsWith(`--${name}=`))?.split('=')[1] ?? usual);
  const minutes = numberOf('minutes', 25);
  const times = numberOf('times', 1);
  if (!(minutes >= 2)) throw new Error('--minutes is 2 at least: a cluster takes one to start');
  const untilMs = Date.now() + minutes * 60_000;
  say(`${isEmbedded ? 'HAProxy' : 'three brokers'}, three etcd, two databases, two of each role …`);
  const cluster = await installCluster({ isEmbedded });
  let homes: Homes | undefined;
  try {
    const { pool, entrances, receiver } = cluster;
    homes = await startHomes({ places: [{ pool }], entrances }, HOMES, minutes);
    const { all } = homes;
    if (!(await waitUntilHomesResume(all, scaleTimeLimitMs(PATIENCE_MS))))
      throw new Error(describeTimeout('not every home has a reading stored, before any fault', PATIENCE_MS));
    say(`${HOMES} homes publish; ${CALM_S} s of calm …`);
    await pause(CALM_S * 1_000);
    const calm = await countOutOfOrderReadings(pool);
    const rows: FaultRow[] = [];
    const notRun: string[] = [];
    const once = chooseFaults(
      createClusterFaults(cluster, () => waitUntilHomesResume(all, scaleTimeLimitMs(PATIENCE_MS))),
      words,
    );
    for (const fault of Array.from({ length: times }, () => once).flat()) {
      if (Date.now() + scaleTimeLimitMs(FAULT_MS + JUDGE_MS) > untilMs) {
        notRun.push(fault.name);
        continue;
      }
      say(`${new Date().toISOString()} ${fault.name} …`);
      const row = await endureFault(
        {
          ...{ homes, receiver },
          prepare: async () => cluster.rabbit?.rebalance(),
          ready: () => cluster.patroni.ready(),
          diagnosis: () => diagnosis(cluster, all),
        },
        fault,
      );
      rows.push(row);
      say(`  ${formatRow(row)}`);
    }
    say('comparing …');
    await homes.finish();
    await Promise.race([
      Promise.all(all.map(({ publisher }) => publisher.flush())),
      pause(scaleTimeLimitMs(JUDGE_MS) / 2),
    ]);
    const cutOff = rows.filter((row) => row.cutsDeliveries);
    const { faults, differences, retries, ...counted } = await compareFinalState({ pools: [pool], receiver }, all, {
      cutOff,
      withinMs: scaleTimeLimitMs(JUDGE_MS),
    });
    const result = { outOfOrderInCalm: calm, ...counted, ...faults };
    if (flags.includes('--json')) console.log(JSON.stringify({ faults: rows, notRun, result, differences, retries }));
    else {
      console.table(
        rows.map(({ fault, acknowledged, stored, alert, goal }) => ({ fault, acknowledged, stored, alert, goal })),
      );
      console.table(result);
    }
    if (calm > 0) say(`WRONG: ${calm} readings were stored out of order before any fault`);
    sayDifferences(differences);
    sayRetries(retries);
    if (noLines !== null) for (const name of NETWORK_AND_DISK_FAULTS) say(`NOT RUN: ${name}: ${noLines}`);
    for (const name of notRun) say(`NOT RUN: ${name}: no time left (--minutes=${minutes})`);
    return notRun.length === 0 && rows.every((row) => row.goesOn) && differences.length + calm === 0 ? 0 : 1;
  } finally {
    await homes?.close();
    const folder = flags.find((flag) => flag.startsWith('--logs='))?.split('=')[1];
    if (folder)
      for (const node of cluster.rabbit?.nodes ?? []) writeFileSync(join(folder, `${node.name}.log`), node.log());
    await cluster.remove();
  }
}
