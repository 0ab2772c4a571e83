import { type KillTestResult, killProcessesAlternately } from '../test/support/cluster/ingest-kills.ts';
import { startIngestPair } from '../test/support/cluster/ingest-pair.ts';
import { findMissingRequirements } from '../test/support/setup/needs.ts';
import type { BenchmarkGoal, BenchmarkResult } from './answer.ts';
import { measureCpuPerMessage } from './cells/load.ts';
import { measureAccountMoves } from './cells/moves.ts';
import { measureReconnectAfterRouterKill } from './cells/reconnect.ts';
import {
  measureRequestsDuringCellOutage,
  measureRequestsDuringMapChanges,
  measureRouterCpuPerRequest,
} from './cells/requests.ts';
import { startTwoCellInstallation, type TwoCellInstallation } from './cells/rig.ts';

const NEEDED = /^HAProxy/;
const FULL = {
  ...{ messages: 60_000, rounds: 3, requests: 12_000, devices: 2_000 },
  ...{ killRounds: 10, accounts: 200, listedAccounts: 10_000, changes: 30, seconds: 20 },
};
/** Settings of `--quick`: a run of about five minutes, used at the end of a test run. */
const QUICK: typeof FULL = {
  ...{ messages: 12_000, rounds: 1, requests: 2_000, devices: 200 },
  ...{ killRounds: 2, accounts: 4, listedAccounts: 1_000, changes: 5, seconds: 5 },
};
const PLAN = process.argv.includes('--quick') ? QUICK : FULL;
/** Number of devices that publish while ingest processes are killed. */
const KILL_DEVICES = 60;
/** Time for which mqtt.js waits for a CONNACK by default. */
const MQTTJS_TIMEOUT_MS = 30_000;
const NONE = { atMost: 0 };

/** Result of one part of the run: the measured figures, and the goals for them. */
interface PartResult {
  measured: unknown;
  goals: BenchmarkGoal[];
  lines?: string[];
}

/** The parts of the run by name, in order of execution. The last part kills a cell, which is not restarted. */
const PARTS: Record<string, (rig: TwoCellInstallation) => Promise<PartResult>> = {
  load,
  requests,
  map,
  router,
  kills,
  patient,
  moves,
  dead,
};

/**
 * Measures two cells (installations) behind two routers, and compares them with one cell: messages and requests, kills, moves of accounts,
 * and changes of the routers' map. `names`: parts of the run; all if empty. `--quick`: a shorter run.
 */
export async function runBenchmark(names: readonly string[]): Promise<BenchmarkResult> {
  const missing = findMissingRequirements().filter(({ name }) => NEEDED.test(name));
  for (const { name, how } of missing) console.log(`NOT RUN: ${name} is missing. To have it: ${how}.`);
  if (missing.length > 0) process.exit(2);
  const unknown = names.filter((name) => !Object.hasOwn(PARTS, name));
  if (unknown.length > 0) {
    console.error(`There is no part ${unknown.join(', ')}. The parts are ${Object.keys(PARTS).join(', ')}.`);
    process.exit(2);
  }
  const rig = await startTwoCellInstallation();
  try {
    const result = {
      lines: [] as string[],
      json: { plan: PLAN } as Record<string, unknown>,
      goals: [] as BenchmarkGoal[],
    };
    for (const [name, run] of Object.entries(PARTS)) {
      if (names.length > 0 && !names.includes(name)) continue;
      process.stderr.write(`${new Date().toISOString()} ${name} …\n`);
      const { measured, goals, lines = [] } = await run(rig);
      result.json[name] = measured;
      result.goals.push(...goals);
      result.lines.push(...lines);
    }
    return result;
  } finally {
    await rig.remove();
  }
}

async function load(rig: TwoCellInstallation): Promise<PartResult> {
  const measured = await measureCpuPerMessage(rig, PLAN);
  const { pair, one, two } = measured;
  const lines = Object.entries({ 'one cell': one, 'two cells': two, 'one cell, two ingest behind HAProxy': pair }).map(
    ([name, { broker, worker, postgres, postgresAtRest }]) =>
      `${name.padEnd(36)} µs CPU a message: HAProxy ${round(broker)}, ingest ${round(worker)}, ` +
      `PostgreSQL ${round(postgres)} (and ${round(postgresAtRest)} at rest)`,
  );
  const goals = [
    {
      what: 'CPU of HAProxy and two ingest processes with the broker inside, a message',
      ...{ measured: round(pair.broker + pair.worker), unit: ' µs', goal: { atMost: 40 } },
    },
    {
      what: 'CPU of PostgreSQL a reading without its CPU at rest, two cells ÷ one cell with two ingest processes',
      ...{ measured: round(two.postgres / pair.postgres), goal: { atMost: 1.1 } },
    },
    { what: 'CPU of the router a message', measured: round(two.broker), unit: ' µs', goal: { atMost: 10 } },
  ];
  return { measured, goals, lines };
}

async function requests(rig: TwoCellInstallation): Promise<PartResult> {
  const measured = await measureRouterCpuPerRequest(rig, PLAN.requests);
  const { requestUs, idleMsPerSecond, perSecond, failed } = measured;
  const what = 'CPU of the router a request, without its CPU at rest';
  return {
    measured,
    goals: [
      { what, measured: round(requestUs), unit: ' µs', goal: { atMost: 200 } },
      { what: 'Requests that failed while the CPU of the router was measured', measured: failed, goal: NONE },
    ],
    lines: [`router: ${round(perSecond)} requests/s; at rest ${round(idleMsPerSecond)} ms of CPU a second`],
  };
}

async function map(rig: TwoCellInstallation): Promise<PartResult> {
  const measured = await measureRequestsDuringMapChanges(rig, { ...PLAN, accounts: PLAN.listedAccounts });
  const { failed, longestMs, changeMs } = measured;
  const listed = `a map of ${PLAN.listedAccounts.toLocaleString('en')} accounts`;
  const goals = [
    { what: `Requests that failed while ${listed} changed`, measured: failed, goal: NONE },
    { what: `Longest request while ${listed} changed`, measured: Math.round(longestMs), unit: ' ms', goal: null },
    { what: `Longest change of ${listed}`, measured: Math.round(changeMs), unit: ' ms', goal: null },
  ];
  return { measured, goals };
}

async function router(rig: TwoCellInstallation): Promise<PartResult> {
  const measured = await measureReconnectAfterRouterKill(rig, PLAN.devices);
  const { seconds, ingestKb, routerKb } = measured;
  const devices = PLAN.devices.toLocaleString('en');
  const goals = [
    {
      what: `Time until ${devices} devices are connected after one of two routers is killed`,
      ...{ measured: round(seconds), unit: ' s', goal: { atMost: 10 } },
    },
  ];
  return {
    ...{ measured, goals },
    lines: [`memory of a connection: ingest ${round(ingestKb)} kB, router ${round(routerKb)} kB`],
  };
}

/**
 * Kills each of the two ingest processes of one cell in turn, while devices publish. `patience`: maximum time for which the devices wait
 * for a CONNACK.
 */
async function killIn(
  { cells: [first] }: TwoCellInstallation,
  patience: { connectTimeoutMs?: number } = {},
): Promise<KillTestResult> {
  const pair = await startIngestPair({ url: first.database.url });
  try {
    const devices = await first.pair(KILL_DEVICES);
    return await killProcessesAlternately(pair, {
      pool: first.database.pool,
      devices,
      rounds: PLAN.killRounds,
      ...patience,
    });
  } finally {
    await pair.remove();
  }
}

/** Returns the long waits of clients with their explanations, one line each. */
const waitsOf = ({ rounds }: KillTestResult): string[] => rounds.flatMap(({ waits }) => waits);

const worst = ({ rounds }: KillTestResult, of: (round: KillTestResult['rounds'][number]) => number) =>
  round(Math.max(...rounds.map(of)));

async function kills(rig: TwoCellInstallation): Promise<PartResult> {
  const measured = await killIn(rig);
  const goals = [
    { what: 'Acknowledged messages lost while processes were killed', measured: measured.lost, goal: NONE },
    { what: 'Messages stored twice while processes were killed', measured: measured.doubled, goal: NONE },
    {
      what: 'Longest time until a client of a killed process has a PUBACK',
      ...{ measured: worst(measured, ({ backS }) => backS), unit: ' s', goal: { atMost: 5 } },
    },
    {
      what: 'Longest time without a PUBACK of the other clients',
      ...{ measured: worst(measured, ({ othersGapS }) => othersGapS), unit: ' s', goal: { atMost: 3 } },
    },
  ];
  return { measured, goals, lines: waitsOf(measured) };
}

/** Repeats `killIn` with devices that wait for a CONNACK as long as mqtt.js does by default. */
async function patient(rig: TwoCellInstallation): Promise<PartResult> {
  const measured = await killIn(rig, { connectTimeoutMs: MQTTJS_TIMEOUT_MS });
  const what = 'Longest time until a client that waits 30 s for a CONNACK has a PUBACK';
  const goals = [{ what, measured: worst(measured, ({ backS }) => backS), unit: ' s', goal: null }];
  return { measured, goals, lines: waitsOf(measured) };
}

async function moves(rig: TwoCellInstallation): Promise<PartResult> {
  const measured = await measureAccountMoves(rig, PLAN.accounts);
  const { accounts, lost, doubled, wrong, heldMs, publishWaitS, requestWaitS, exceptionsPerAccount } = measured;
  const goals = [
    { what: `Messages lost while ${accounts} accounts moved`, measured: lost, goal: NONE },
    { what: 'Messages stored twice while accounts moved', measured: doubled, goal: NONE },
    { what: 'Responses other than 200 and 503 while accounts moved', measured: wrong, goal: NONE },
    { what: 'Longest time of an account in neither cell', measured: heldMs, unit: ' ms', goal: { atMost: 2_000 } },
    {
      what: 'Longest time without a PUBACK of a device whose account moved',
      ...{ measured: round(publishWaitS), unit: ' s', goal: null },
    },
    {
      what: 'Longest time without a response 200 for an account that moved',
      ...{ measured: round(requestWaitS), unit: ' s', goal: null },
    },
    { what: 'Exceptions in the map for each moved account', measured: round(exceptionsPerAccount), goal: null },
  ];
  return { measured, goals };
}

async function dead(rig: TwoCellInstallation): Promise<PartResult> {
  const measured = await measureRequestsDuringCellOutage(rig, PLAN.seconds);
  const goals = [
    { what: 'Requests of a cell that failed after the other was killed', measured: measured.failed, goal: NONE },
    {
      what: 'p99 of requests of a cell after the other was killed ÷ before',
      ...{ measured: round(measured.p99Ratio), goal: { atMost: 1.2 } },
    },
  ];
  return { measured, goals };
}

const round = (value: number): number => Math.round(value * 100) / 100;
