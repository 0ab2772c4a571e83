import { setTimeout as pause } from 'node:timers/promises';
import { longestGapSeconds } from '../../../test/support/cluster/meters.ts';
import { missingNeeds } from '../../../test/support/setup/needs.ts';
import { diagnosis } from './diagnosis.ts';
import { type Fault, faultsOf } from './faults.ts';
import { goesOn, type Home, type Homes, settle } from './homes.ts';
import { type Cluster, installCluster } from './installation.ts';
import { judge, outOfOrder, toldBy, type Verdict } from './verdict.ts';

const HOMES = 30;
const CALM_S = 10;
/** How long a fault is waited for, until readings go on. */
const PATIENCE_MS = 60_000;
/** Left of the time for what is compared at the end. */
const JUDGE_MS = 60_000;
/** Longest that a fault takes, with what is waited for after it: none is begun that may not end in time. */
const FAULT_MS = 60_000;
const NEEDED = /^(RabbitMQ|Patroni)/;

/** What a fault did. Seconds; of the home that waited longest. */
interface Row {
  fault: string;
  /** Without a PUBACK. */
  acknowledged: number;
  /** Without a reading stored. */
  stored: number;
  /** From the PUBACK of the reading that triggers an alert to its webhook, of those that were triggered meanwhile. */
  alert: number | null;
  goal: string;
  isKept: boolean;
  /** Whether all homes were served again at all. */
  goesOn: boolean;
}

/** `npm run chaos -- cluster [names of faults] [--minutes=15] [--json]`. Answers the exit code. */
export async function chaosOfCluster(flags: readonly string[]): Promise<number> {
  const missing = missingNeeds().filter(({ name }) => NEEDED.test(name));
  for (const { name, how } of missing) console.log(`NOT RUN: ${name} is missing. To have it: ${how}.`);
  if (missing.length > 0) return 2;
  const words = flags.filter((flag) => !flag.startsWith('--'));
  const minutes = Number(flags.find((flag) => flag.startsWith('--minutes='))?.split('=')[1] ?? 15);
  if (!(minutes >= 2)) throw new Error('--minutes is 2 at least: a cluster takes one to start');
  const untilMs = Date.now() + minutes * 60_000;
  say('three brokers, three etcd, two databases, two of each role …');
  const cluster = await installCluster();
  let homes: Homes | undefined;
  try {
    homes = await settle(cluster, HOMES, minutes);
    const { all } = homes;
    if (!(await goesOn(all, PATIENCE_MS))) throw new Error('no reading of each home within the time, before any fault');
    say(`${HOMES} homes publish; ${CALM_S} s of calm …`);
    await pause(CALM_S * 1_000);
    const calm = await outOfOrder(cluster.pool);
    const rows: Row[] = [];
    const notRun: string[] = [];
    const chosen = chosenOf(
      faultsOf(cluster, () => goesOn(all, PATIENCE_MS)),
      words,
    );
    for (const fault of chosen) {
      if (Date.now() + FAULT_MS + JUDGE_MS > untilMs) {
        notRun.push(fault.name);
        continue;
      }
      say(`${fault.name} …`);
      rows.push(await endure(cluster, all, fault));
      say(`  ${lineOf(rows.at(-1) as Row)}`);
    }
    say('comparing …');
    await homes.finish();
    await Promise.race([Promise.all(all.map(({ publisher }) => publisher.flush())), pause(JUDGE_MS / 2)]);
    const verdict = await judge(cluster, all, JUDGE_MS);
    const result = { outOfOrderInCalm: calm, ...verdict };
    if (flags.includes('--json')) console.log(JSON.stringify({ faults: rows, notRun, result }));
    else {
      console.table(
        rows.map(({ fault, acknowledged, stored, alert, goal }) => ({ fault, acknowledged, stored, alert, goal })),
      );
      console.table(result);
    }
    for (const name of notRun) say(`NOT RUN: ${name}: no time left (--minutes=${minutes})`);
    return notRun.length === 0 && rows.every((row) => row.goesOn) && isGood(verdict) && calm === 0 ? 0 : 1;
  } finally {
    await homes?.close();
    await cluster.remove();
  }
}

/** Each word is a whole name, or a part of some. */
function chosenOf(faults: Fault[], words: readonly string[]): Fault[] {
  if (words.length === 0) return faults;
  const isWhole = (word: string) => faults.some(({ name }) => name === word);
  return faults.filter(({ name }) => words.some((word) => (isWhole(word) ? name === word : name.includes(word))));
}

async function endure(cluster: Cluster, homes: readonly Home[], fault: Fault): Promise<Row> {
  const harmedMs = Date.now();
  await fault.harm();
  const wentOn = await goesOn(homes, PATIENCE_MS);
  if (!wentOn) say(await diagnosis(cluster, homes));
  await pause(Math.max(0, harmedMs + fault.holdS * 1_000 - Date.now()));
  await fault.heal();
  await cluster.patroni.ready();
  const isHealed = await goesOn(homes, PATIENCE_MS);
  if (!isHealed) say(await diagnosis(cluster, homes));
  // What comes back disturbs, too: moves of queues and devices.
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
  };
}

/** Seconds from PUBACK to webhook, of alerts that were triggered meanwhile and told by now; null where there were none. */
function slowestAlert({ receiver }: Cluster, homes: readonly Home[], fromMs: number, toMs: number): number | null {
  const toldAtMs = new Map<string, number>();
  for (const call of receiver.calls.filter(({ atMs }) => atMs >= fromMs)) {
    const { period } = toldBy(call);
    if (!toldAtMs.has(period)) toldAtMs.set(period, call.atMs);
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

const isGood = ({ lost, strange, wrongHours, untold, toldWrongly }: Verdict) =>
  lost + strange + wrongHours + untold + toldWrongly === 0;

const lineOf = ({ acknowledged, stored, alert, goal, isKept, goesOn: isOn }: Row) =>
  `without PUBACK ${acknowledged} s, without a reading stored ${stored} s, slowest alert ${alert ?? '–'} s; ` +
  `goal ${goal} s ${isKept ? 'kept' : 'MISSED'}${isOn ? '' : '; DID NOT GO ON'}`;

const round = (seconds: number) => Math.round(seconds * 10) / 10;
const say = (text: string) => process.stderr.write(`${text}\n`);
