import { type KillResult, killInTurn } from '../test/support/cluster/ingest-kills.ts';
import { startIngestPair } from '../test/support/cluster/ingest-pair.ts';
import { findMissingRequirements } from '../test/support/setup/needs.ts';
import type { BenchmarkResult, Goal } from './answer.ts';
import { type LoadCosts, measureLoad } from './cells/load.ts';
import { type MovesResult, measureMoves } from './cells/moves.ts';
import { measureReconnect } from './cells/reconnect.ts';
import { measureDeadCell, measureMapChanges, measureRequests } from './cells/requests.ts';
import { type Rig, startRig } from './cells/rig.ts';

const NEEDED = /^HAProxy/;
const FULL = {
  ...{ messages: 60_000, rounds: 3, requests: 3_000, devices: 2_000 },
  ...{ killRounds: 10, accounts: 200, listedAccounts: 10_000, changes: 30, seconds: 20 },
};
/** Short run for the end of a test run, in some three minutes. */
const QUICK: typeof FULL = {
  ...{ messages: 12_000, rounds: 1, requests: 1_000, devices: 200 },
  ...{ killRounds: 2, accounts: 4, listedAccounts: 1_000, changes: 5, seconds: 5 },
};
const PLAN = process.argv.includes('--quick') ? QUICK : FULL;
/** Time that mqtt.js waits for a CONNACK, unless it is set. */
const MQTTJS_TIMEOUT_MS = 30_000;
/** Devices that publish while processes are killed. */
const KILL_DEVICES = 60;

interface Measured {
  load: LoadCosts;
  requestUs: number;
  map: Awaited<ReturnType<typeof measureMapChanges>>;
  reconnect: Awaited<ReturnType<typeof measureReconnect>>;
  kills: KillResult;
  /** The same with clients that wait for a CONNACK for as long as mqtt.js does by default. */
  patientKills: KillResult;
  moves: MovesResult;
  dead: Awaited<ReturnType<typeof measureDeadCell>>;
}

/**
 * Measures two cells behind two routers in comparison with one: CPU time of messages and requests, a router, a process and a cell that are
 * killed, accounts that move under load, and requests while the map of exceptions changes. `--quick`: a shorter run.
 */
export async function bench(): Promise<BenchmarkResult> {
  const missing = findMissingRequirements().filter(({ name }) => NEEDED.test(name));
  for (const { name, how } of missing) console.log(`NOT RUN: ${name} is missing. To have it: ${how}.`);
  if (missing.length > 0) process.exit(2);
  const rig = await startRig();
  try {
    const load = await measureLoad(rig, PLAN);
    step('requests');
    const requestUs = await measureRequests(rig, PLAN.requests);
    step('requests while the map changes');
    const map = await measureMapChanges(rig, { ...PLAN, accounts: PLAN.listedAccounts });
    step('a router killed');
    const reconnect = await measureReconnect(rig, PLAN.devices);
    step('ingest processes killed in turn');
    const kills = await measureKills(rig);
    const patientKills = await measureKills(rig, MQTTJS_TIMEOUT_MS);
    step('accounts moved');
    const moves = await measureMoves(rig, PLAN.accounts);
    step('a cell killed');
    const dead = await measureDeadCell(rig, PLAN.seconds);
    return resultOf({ load, requestUs, map, reconnect, kills, patientKills, moves, dead });
  } finally {
    await rig.remove();
  }
}

const step = (what: string) => process.stderr.write(`${what} …\n`);

/** Kills each of two ingest processes of one cell in turn, while clients wait so long for a CONNACK. */
async function measureKills({ cells: [first] }: Rig, connectTimeoutMs?: number): Promise<KillResult> {
  const pair = await startIngestPair({ url: first.database.url });
  try {
    const devices = await first.pair(KILL_DEVICES);
    const { pool } = first.database;
    const patience = connectTimeoutMs === undefined ? {} : { connectTimeoutMs };
    return await killInTurn(pair, { pool, devices, rounds: PLAN.killRounds, ...patience });
  } finally {
    await pair.remove();
  }
}

function resultOf(measured: Measured): BenchmarkResult {
  const goals = goalsOf(measured);
  const { load, reconnect } = measured;
  const lines = Object.entries(load).map(([name, { broker, worker, postgres }]) => {
    const what = { one: 'one cell', two: 'two cells', pair: 'one cell, two ingest behind HAProxy' }[name] ?? name;
    return `${what.padEnd(36)} µs CPU a message: HAProxy ${round(broker)}, ingest ${round(worker)}, PostgreSQL ${round(postgres)}`;
  });
  lines.push(`memory of a connection: ingest ${round(reconnect.ingestKb)} kB, router ${round(reconnect.routerKb)} kB`);
  return { lines, json: { plan: PLAN, ...measured }, goals };
}

/** Returns the figures beside their goals, which are those of the design of cells. */
function goalsOf({ load, requestUs, map, reconnect, kills, patientKills, moves, dead }: Measured): Goal[] {
  const worst = ({ rounds }: KillResult, of: (round: KillResult['rounds'][number]) => number) =>
    round(Math.max(...rounds.map(of)));
  const none = { atMost: 0 };
  return [
    {
      what: 'CPU of HAProxy and two ingest processes with the broker inside, a message',
      ...{ measured: round(load.pair.broker + load.pair.worker), unit: ' µs', goal: { atMost: 40 } },
    },
    {
      what: 'CPU of PostgreSQL a reading, two cells ÷ one',
      ...{ measured: round(load.two.postgres / load.one.postgres), goal: { atMost: 1.1 } },
    },
    {
      what: 'CPU of the router a message',
      ...{ measured: round(load.two.broker), unit: ' µs', goal: { atMost: 10 } },
    },
    { what: 'CPU of the router a request', measured: round(requestUs), unit: ' µs', goal: { atMost: 200 } },
    {
      what: `Longest time until ${PLAN.devices.toLocaleString('en')} devices are connected after one of two routers is killed`,
      ...{ measured: round(reconnect.seconds), unit: ' s', goal: { atMost: 10 } },
    },
    {
      what: 'Acknowledged messages lost while processes were killed',
      measured: kills.lost + patientKills.lost,
      goal: none,
    },
    {
      what: 'Messages stored twice while processes were killed',
      measured: kills.doubled + patientKills.doubled,
      goal: none,
    },
    {
      what: 'Longest time until a client of a killed process has a PUBACK',
      ...{ measured: worst(kills, ({ backS }) => backS), unit: ' s', goal: { atMost: 5 } },
    },
    {
      what: 'The same for clients that wait 30 s for a CONNACK',
      ...{ measured: worst(patientKills, ({ backS }) => backS), unit: ' s', goal: null },
    },
    {
      what: 'Longest time without a PUBACK of the other clients',
      ...{ measured: worst(kills, ({ othersGapS }) => othersGapS), unit: ' s', goal: { atMost: 3 } },
    },
    ...goalsOfMoves(moves),
    { what: 'Requests that failed while the map changed', measured: map.failed, goal: none },
    {
      what: 'Longest request while the map changed',
      ...{ measured: Math.round(map.longestMs), unit: ' ms', goal: null },
    },
    { what: 'Longest change of the map', measured: Math.round(map.changeMs), unit: ' ms', goal: null },
    { what: 'Requests of a cell that failed after the other was killed', measured: dead.failed, goal: none },
    {
      what: 'p99 of requests of a cell after the other was killed ÷ before',
      ...{ measured: round(dead.p99Ratio), goal: { atMost: 1.2 } },
    },
  ];
}

function goalsOfMoves(moves: MovesResult): Goal[] {
  const none = { atMost: 0 };
  return [
    { what: `Messages lost while ${moves.accounts} accounts moved`, measured: moves.lost, goal: none },
    { what: 'Messages stored twice while accounts moved', measured: moves.doubled, goal: none },
    { what: 'Responses other than 200 and 503 while accounts moved', measured: moves.wrong, goal: none },
    {
      what: 'Longest time of an account in neither cell',
      ...{ measured: moves.heldMs, unit: ' ms', goal: { atMost: 2_000 } },
    },
    {
      what: 'Longest time without a PUBACK of a device whose account moved',
      ...{ measured: round(moves.publishWaitS), unit: ' s', goal: null },
    },
    {
      what: 'Longest time without a response 200 for an account that moved',
      ...{ measured: round(moves.requestWaitS), unit: ' s', goal: null },
    },
    { what: 'Exceptions in the map for each moved account', measured: round(moves.exceptionsPerAccount), goal: null },
  ];
}

const round = (value: number): number => Math.round(value * 100) / 100;
