import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { longestGapSeconds } from '../../../test/support/cluster/meters.ts';
import { findMissingRequirements } from '../../../test/support/setup/needs.ts';
import { describeTimeout, scaleTimeLimitMs } from '../../time-limits.ts';
import { DIFFERENCE_KINDS } from './compare.ts';
import { type ClusterFault, createClusterFaults, NETWORK_AND_DISK_FAULTS } from './faults.ts';
import { type Home, type Homes, startHomes, waitUntilHomesResume } from './homes.ts';
import { type Cluster, installCluster } from './installation.ts';
import { explainMissingNetwork, isInNamespaces, runInNamespaces } from './lines.ts';
import { compareFinalState, countOutOfOrderReadings, parseWebhookCall } from './verdict.ts';

/** Describes the waiting homes, and the queues of each broker that responds, if readings do not resume. */
async function diagnosis({ rabbit }: Cluster, homes: readonly Home[]): Promise<string> {
  const late = homes.filter(({ readings, stored }) => (readings.at(-20)?.readAtMs ?? 0) > stored.upToMs);
  const lines = late.map(({ deviceId, readings, publisher, stored }) => {
    const written = readings.filter(({ readAtMs }) => readAtMs <= stored.upToMs).length;
    return `  ${deviceId}: ${readings.length} published, ${publisher.acknowledged.size} acknowledged, ${written} stored`;
  });
  const columns = ['name', 'messages_ready', 'messages_unacknowledged', 'consumers', 'leader', 'online'];
  const asked = (rabbit?.nodes ?? []).map(async (node) => {
    const said = await node.ctl('-q', '-t', '15', 'list_queues', ...columns).catch((error: Error) => error.message);
    const waiting = said.split('\n').filter((line) => !/\t0\t0\t/.test(line));
    return [`  ${node.name} says:`, ...waiting.slice(0, 20).map((line) => `    ${line}`)];
  });
  return ['late:', ...lines, ...(await Promise.all(asked)).flat()].join('\n');
}

const HOMES = 30;
const CALM_S = 10;
/** Maximum time to wait after a fault until readings resume. */
const PATIENCE_MS = 60_000;
/** A call that was answered this long before a fault may not be recorded yet. */
const BEFORE_MS = 1_000;
/** Maximum number of differences listed per kind. */
const NAMED = 5;
/** Time reserved for the comparison at the end. */
const JUDGE_MS = 60_000;
/** Maximum time of a fault including its recovery. A fault that may not finish in the remaining time is not started. */
const FAULT_MS = 60_000;
const NEEDED = /^(RabbitMQ|Patroni)/;

/** Effect of a fault, in seconds, for the home that waited longest. */
interface Row {
  fault: string;
  /** Time without a PUBACK. */
  acknowledged: number;
  /** Time without a stored reading. */
  stored: number;
  /** Time from the PUBACK of a triggering reading until its webhook, for alerts triggered during the fault. */
  alert: number | null;
  goal: string;
  isKept: boolean;
  /** Whether all homes resumed. */
  goesOn: boolean;
  cutsDeliveries: boolean;
  fromMs: number;
  toMs: number;
}

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
    homes = await startHomes(cluster, HOMES, minutes);
    const { all } = homes;
    if (!(await waitUntilHomesResume(all, scaleTimeLimitMs(PATIENCE_MS))))
      throw new Error(describeTimeout('not every home has a reading stored, before any fault', PATIENCE_MS));
    say(`${HOMES} homes publish; ${CALM_S} s of calm …`);
    await pause(CALM_S * 1_000);
    const calm = await countOutOfOrderReadings(cluster.pool);
    const rows: Row[] = [];
    const notRun: string[] = [];
    const once = chosenOf(
      createClusterFaults(cluster, () => waitUntilHomesResume(all, scaleTimeLimitMs(PATIENCE_MS))),
      words,
    );
    for (const fault of Array.from({ length: times }, () => once).flat()) {
      if (Date.now() + scaleTimeLimitMs(FAULT_MS + JUDGE_MS) > untilMs) {
        notRun.push(fault.name);
        continue;
      }
      say(`${new Date().toISOString()} ${fault.name} …`);
      rows.push(await endure(cluster, homes, fault));
      say(`  ${lineOf(rows.at(-1) as Row)}`);
    }
    say('comparing …');
    await homes.finish();
    await Promise.race([
      Promise.all(all.map(({ publisher }) => publisher.flush())),
      pause(scaleTimeLimitMs(JUDGE_MS) / 2),
    ]);
    const cutOff = rows.filter((row) => row.cutsDeliveries);
    const { faults, differences, ...counted } = await compareFinalState(cluster, all, {
      cutOff,
      withinMs: scaleTimeLimitMs(JUDGE_MS),
    });
    const result = { outOfOrderInCalm: calm, ...counted, ...faults };
    if (flags.includes('--json')) console.log(JSON.stringify({ faults: rows, notRun, result, differences }));
    else {
      console.table(
        rows.map(({ fault, acknowledged, stored, alert, goal }) => ({ fault, acknowledged, stored, alert, goal })),
      );
      console.table(result);
    }
    if (calm > 0) say(`WRONG: ${calm} readings were stored out of order before any fault`);
    for (const [kind, few] of Object.entries(Object.groupBy(differences, (one) => one.kind))) {
      const name = DIFFERENCE_KINDS[kind as keyof typeof DIFFERENCE_KINDS];
      for (const { of } of few.slice(0, NAMED)) say(`WRONG: ${name}: ${of}`);
      if (few.length > NAMED) say(`WRONG: ${name}: ${few.length - NAMED} more`);
    }
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

/** Returns the faults that the words select. Each word is the full name of a fault or a part of one or more names. */
function chosenOf(faults: ClusterFault[], words: readonly string[]): ClusterFault[] {
  if (words.length === 0) return faults;
  const isWhole = (word: string) => faults.some(({ name }) => name === word);
  return faults.filter(({ name }) => words.some((word) => (isWhole(word) ? name === word : name.includes(word))));
}

async function endure(cluster: Cluster, { all: homes, spread }: Homes, fault: ClusterFault): Promise<Row> {
  // A broker that was down leads no queues and has no devices. Rebalance, so that the next fault finds the load evenly spread.
  await cluster.rabbit?.rebalance();
  spread();
  await waitUntilHomesResume(homes, scaleTimeLimitMs(PATIENCE_MS));
  const harmedMs = Date.now();
  await fault.harm();
  const wentOn = await waitUntilHomesResume(homes, scaleTimeLimitMs(PATIENCE_MS));
  if (!wentOn)
    say(`${describeTimeout('readings do not go on after the fault', PATIENCE_MS)}\n${await diagnosis(cluster, homes)}`);
  await pause(Math.max(0, harmedMs + fault.holdS * 1_000 - Date.now()));
  await fault.heal();
  await cluster.patroni.ready();
  const isHealed = await waitUntilHomesResume(homes, scaleTimeLimitMs(PATIENCE_MS));
  if (!isHealed)
    say(
      `${describeTimeout('readings do not go on after the cause is gone', PATIENCE_MS)}\n${await diagnosis(cluster, homes)}`,
    );
  // A restored broker causes disturbance, too: queues and devices move.
  await pause(2_000);
  const [fromMs, toMs] = [harmedMs, Date.now()];
  const worst = (timesOf: (home: Home) => readonly number[]) =>
    round(Math.max(...homes.map((home) => longestGapSeconds(timesOf(home), fromMs, toMs))));
  const acknowledged = worst(({ publisher }) => [...publisher.acknowledged.values()]);
  const stored = worst((home) => home.stored.atMs);
  const { of, seconds } = fault.goal;
  return {
    fault: fault.name,
    acknowledged,
    stored,
    alert: slowestAlert(cluster, homes, fromMs, toMs),
    goal: `${of} ${seconds}`,
    isKept: { acknowledged, stored }[of] <= seconds,
    goesOn: wentOn && isHealed,
    cutsDeliveries: fault.cutsDeliveries ?? false,
    fromMs: fromMs - BEFORE_MS,
    toMs,
  };
}

/**
 * Returns the maximum time in seconds from PUBACK to webhook, for alerts triggered in this time and delivered by now; null if there were
 * none.
 */
function slowestAlert({ receiver }: Cluster, homes: readonly Home[], fromMs: number, toMs: number): number | null {
  const toldAtMs = new Map<string, number>();
  for (const call of receiver.calls.filter(({ atMs }) => atMs >= fromMs)) {
    const { hour } = parseWebhookCall(call);
    if (!toldAtMs.has(hour)) toldAtMs.set(hour, call.atMs);
  }
  const waits = homes.flatMap(({ userId, crossings, publisher }) =>
    [...crossings].flatMap(([hourMs, index]) => {
      const triggeredMs = publisher.acknowledged.get(index) ?? 0;
      const atMs = toldAtMs.get(`${userId} ${new Date(hourMs).toISOString()}`);
      return triggeredMs < fromMs || triggeredMs > toMs || atMs === undefined ? [] : [atMs - triggeredMs];
    }),
  );
  return waits.length === 0 ? null : round(Math.max(...waits) / 1_000);
}

const lineOf = ({ acknowledged, stored, alert, goal, isKept, goesOn: isOn }: Row) =>
  `without PUBACK ${acknowledged} s, without a reading stored ${stored} s, slowest alert ${alert ?? '–'} s; ` +
  `goal ${goal} s ${isKept ? 'kept' : 'MISSED'}${isOn ? '' : '; DID NOT GO ON'}`;

const round = (seconds: number) => Math.round(seconds * 10) / 10;
const say = (text: string) => process.stderr.write(`${text}\n`);
