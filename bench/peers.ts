import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connectAsync } from 'mqtt';
import type { Pool } from '#src/database/connect.ts';
import { findFreePort } from '../test/support/free-port.ts';
import { startMosquitto } from '../test/support/mosquitto.ts';
import type { BenchmarkResult } from './answer.ts';
import { startFleet } from './chaos/fleet.ts';
import {
  countStoredReadings,
  countStoredRows,
  type StoredReadingCounts,
  waitUntilMessagesStored,
} from './chaos/stored-readings.ts';
import { measureIngestOfMessages } from './cluster.ts';
import {
  COMPARISON_FIGURE_LABELS,
  type ComparedProgramResult,
  type ComparisonRoundResult,
  evaluateKillTrial,
  formatComparisonTable,
  getComparisonGoals,
  type KillTrialResult,
  summariseComparisonRounds,
} from './peers/figures.ts';
import {
  findNodeRedVersion,
  findPythonVersion,
  findTelegrafVersion,
  installDebianPackages,
  NODE_RED_FOLDER,
} from './peers/find-programs.ts';
import {
  COMPARISON_READINGS_TABLE,
  type ComparedProgramInputs,
  CREATE_COMPARISON_READINGS_TABLE,
  createNodeRedCommand,
  createPythonBridgeCommand,
  createTelegrafCommand,
} from './peers/programs.ts';
import {
  getPublishUrl,
  type RunningProgram,
  startIngestProcess,
  startNaiveIngestScript,
  startProgram,
} from './peers/start.ts';
import { type PairedDevice, pairDevices, startBenchmarkDatabase, waitUntilTrue } from './support.ts';

const IS_QUICK = process.argv.includes('--quick');
/**
 * Size of a run. `segmentMs`: time before, between and after the kills. `quietMs`: if nothing is stored for this time, nothing more is
 * expected.
 */
const PLAN = IS_QUICK
  ? { rounds: 1, messages: 10_000, segmentMs: 2_000, quietMs: 3_000 }
  : { rounds: 3, messages: 20_000, segmentMs: 3_000, quietMs: 5_000 };
const DEVICES = 50;
const KILLS = 2;
/** Number of devices while programs are killed, as in the chaos test. */
const PLAYERS = 10;
const PER_SECOND = 1_000;
const MAX_START_MS = 30_000;
/** Time in ms within which a message that the broker delivers again would be stored a second time. */
const REPEATED_MS = 1_000;
const PROBE = 'probe';

type Database = Awaited<ReturnType<typeof startBenchmarkDatabase>>;

/** A program under test. */
interface Peer {
  name: string;
  start(place: ComparedProgramInputs): Promise<RunningProgram>;
  isService?: boolean;
  hasBrokerInside?: boolean;
  /** Fraction of the messages that a program gets, if the program is too slow for all of them. */
  share?: number;
  missing?: string;
}

/**
 * Compares this service with other programs that store MQTT messages in PostgreSQL: readings/s from publish to commit, CPU time per
 * reading, and readings that are lost or stored twice if the program is killed twice. `words`: measures only programs whose names contain
 * one of them.
 */
export async function runBenchmark(words: readonly string[] = []): Promise<BenchmarkResult> {
  installDebianPackages();
  const { peers: all, versions } = findPeers();
  const isWanted = ({ name }: Peer) => words.some((word) => name.toLowerCase().includes(word.toLowerCase()));
  const peers = words.length === 0 ? all : all.filter(isWanted);
  const database = await startBenchmarkDatabase();
  try {
    const results: Measured[] = peers.map(({ name, hasBrokerInside = false, missing }) => ({
      name,
      hasBrokerInside,
      rounds: [],
      ...(missing === undefined ? {} : { reason: `not run: ${missing}` }),
    }));
    // Programs are measured alternately, because the load of a shared machine changes during a run.
    for (let round = 1; round <= PLAN.rounds; round++)
      for (const [index, peer] of peers.entries()) await addRound(database, peer, results[index] as Measured, round);
    return {
      json: {
        ...PLAN,
        figures: results.map(({ name, rounds, reason }) => ({
          name,
          ...summariseComparisonRounds(rounds),
          ...(reason ? { reason } : {}),
        })),
        versions,
      },
      lines: [...formatComparisonTable(results), '', ...versions],
      goals: getComparisonGoals(results),
    };
  } finally {
    await database.remove();
  }
}

/** Returns the programs to compare, including those that are not installed, and the versions of the installed programs. */
function findPeers(): { peers: Peer[]; versions: string[] } {
  const [red, python, telegrafFound] = [findNodeRedVersion(), findPythonVersion(), findTelegrafVersion()];
  const driver = createRequire(import.meta.url).resolve('pg');
  const missing = (found: object) => ('missing' in found ? { missing: String(found.missing) } : {});
  const late = 'acknowledges' in python ? ` (acknowledged ${python.acknowledges})` : '';
  const peers: Peer[] = [
    {
      name: COMPARISON_FIGURE_LABELS.service,
      isService: true,
      start: (place) => startIngestProcess(place, { MQTT_URL: getPublishUrl(place) }),
    },
    {
      name: COMPARISON_FIGURE_LABELS.embedded,
      isService: true,
      hasBrokerInside: true,
      start: (place) => startIngestProcess(place, { MQTT_PORT: String(place.brokerPort) }),
    },
    { name: COMPARISON_FIGURE_LABELS.script, start: startNaiveIngestScript },
    {
      name: 'Node-RED, mosquitto',
      start: (place) => startProgram(createNodeRedCommand(place, { installation: NODE_RED_FOLDER, driver }), place),
      ...missing(red),
    },
    {
      name: `Python bridge, batches${late}`,
      start: (place) => startProgram(createPythonBridgeCommand(place, 'batches'), place),
      ...missing(python),
    },
    {
      name: 'Python bridge, a commit for each',
      start: (place) => startProgram(createPythonBridgeCommand(place, 'each'), place),
      share: 0.1,
      ...missing(python),
    },
    {
      name: 'Telegraf',
      start: (place) => startProgram(createTelegrafCommand(place), place),
      ...missing(telegrafFound),
    },
  ];
  const versions = [red, python, telegrafFound].flatMap((one) => ('version' in one ? [one.version] : []));
  return { peers, versions };
}

/** The rounds of a program that are complete so far. */
interface Measured extends ComparedProgramResult {
  rounds: ComparisonRoundResult[];
}

/** Measures another round of a program. If a program fails, it is not measured again, and its row in the table shows the reason. */
async function addRound(database: Database, peer: Peer, result: Measured, round: number): Promise<void> {
  if (result.reason !== undefined) return;
  process.stderr.write(`${peer.name}: round ${round} of ${PLAN.rounds} …\n`);
  try {
    result.rounds.push(await measureRound(database, peer));
  } catch (error) {
    result.reason = `failed: ${(error as Error).message.replaceAll(/[\n|]+/g, ' ')}`;
  }
}

async function measureRound(database: Database, peer: Peer): Promise<ComparisonRoundResult> {
  const { pool, url: databaseUrl } = database;
  const brokerPort = await findFreePort();
  const mosquitto = peer.hasBrokerInside ? undefined : await startMosquitto({ port: brokerPort });
  const folder = await mkdtemp(join(tmpdir(), 'energy-peer-'));
  const place = { brokerPort, databaseUrl, folder };
  await pool.query(`DROP TABLE IF EXISTS ${COMPARISON_READINGS_TABLE}; ${CREATE_COMPARISON_READINGS_TABLE}`);
  let running = await peer.start(place);
  try {
    if (!peer.isService) await untilReady(pool, place);
    const rate = await measureRate(database, peer, { place, running, brokers: mosquitto ? [mosquitto.pid] : [] });
    await pool.query(`TRUNCATE ${COMPARISON_READINGS_TABLE}`);
    const trial = await killRepeatedly(pool, peer, place, async () => {
      await running.kill();
      running = await peer.start(place);
    });
    process.stderr.write(`  ${Math.round(rate.perSecond)}/s ${JSON.stringify({ ...rate.cpuUs, ...trial })}\n`);
    return { ...rate, trial };
  } catch (error) {
    const log = await readFile(join(folder, 'log'), 'utf8').catch(() => '');
    process.stderr.write(log.slice(-2_000));
    throw error;
  } finally {
    await running.kill();
    await mosquitto?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Waits until a program has subscribed at the broker: until it stores the readings of an additional device. The results do not include this
 * device.
 */
async function untilReady(pool: Pool, place: ComparedProgramInputs): Promise<void> {
  const client = await connectAsync(getPublishUrl(place));
  const payload = JSON.stringify({ ts: new Date().toISOString(), energy_total_kwh: 1 });
  try {
    const isStored = async () => {
      await client.publishAsync(`energy/v1/${PROBE}/readings`, payload, { qos: 1 });
      await pause(100);
      const { rows } = await pool.query(`SELECT EXISTS (SELECT FROM ${COMPARISON_READINGS_TABLE}) AS "hasRow"`);
      return rows[0].hasRow;
    };
    await waitUntilTrue('the program stores nothing', isStored, MAX_START_MS);
  } finally {
    await client.endAsync();
  }
}

/** Measures readings/s and CPU time while many messages are published. An equal number of messages is published before, as a warm-up. */
async function measureRate(
  database: Database,
  peer: Peer,
  { place, running, brokers }: { place: ComparedProgramInputs; running: RunningProgram; brokers: number[] },
) {
  const { pool } = database;
  const messages = PLAN.messages * (peer.share ?? 1);
  const flood = async (fromBytes: number) => {
    const devices = await pairDevices(pool, DEVICES);
    return measureIngestOfMessages(database, devices, {
      to: [getPublishUrl(place)],
      brokers,
      workers: [running.pid],
      messages,
      ...(peer.isService ? {} : { untilStored: () => untilRows(pool, devices, messages, fromBytes) }),
    });
  };
  await flood(0);
  const { rows } = await pool.query(`SELECT pg_relation_size('${COMPARISON_READINGS_TABLE}')::float8 AS bytes`);
  await pool.query(`TRUNCATE ${COMPARISON_READINGS_TABLE}`);
  return flood(rows[0].bytes * 0.9);
}

/** Waits until the table has the given number of rows of the devices. */
const untilRows = (pool: Pool, devices: readonly PairedDevice[], count: number, fromBytes: number): Promise<void> =>
  waitUntilTrue(`fewer than ${count} readings are stored`, async () => {
    await pause(10);
    const { rows } = await pool.query(`SELECT pg_relation_size('${COMPARISON_READINGS_TABLE}')::float8 AS bytes`);
    return rows[0].bytes >= fromBytes && (await countRows(pool, devices)).stored >= count;
  });

/** Counts the distinct readings of the devices that another program has stored, and the readings that it has stored more than once. */
async function countRows(pool: Pool, devices: readonly PairedDevice[]): Promise<StoredReadingCounts> {
  const { rows } = await pool.query(
    `SELECT count(*)::int AS rows, count(DISTINCT (device, time))::int AS stored FROM ${COMPARISON_READINGS_TABLE} WHERE device = ANY ($1)`,
    [devices.map(({ deviceId }) => deviceId)],
  );
  return { stored: rows[0].stored, double: rows[0].rows - rows[0].stored };
}

/** Kills and restarts a program while devices publish. Counts the readings when no more are stored. */
async function killRepeatedly(
  pool: Pool,
  peer: Peer,
  place: ComparedProgramInputs,
  killAndStart: () => Promise<void>,
): Promise<KillTrialResult> {
  const players = await pairDevices(pool, PLAYERS);
  const count = () => (peer.isService ? countStoredReadings : countRows)(pool, players);
  const countStoredSoFar = async () =>
    peer.isService ? countStoredRows(pool, players) : (await countRows(pool, players)).stored;
  const fleet = startFleet(getPublishUrl(place), players, PER_SECOND);
  for (let kill = 0; kill < KILLS; kill++) {
    await pause(PLAN.segmentMs);
    await killAndStart();
    const before = await countStoredSoFar();
    await waitUntilTrue('nothing is stored after a kill', async () => {
      await pause(50);
      return (await countStoredSoFar()) > before;
    });
  }
  await pause(PLAN.segmentMs);
  await fleet.finish();
  await waitUntilMessagesStored(countStoredSoFar, fleet.acknowledged, PLAN.quietMs);
  await pause(REPEATED_MS);
  return evaluateKillTrial(fleet.acknowledged, await count(), KILLS);
}
