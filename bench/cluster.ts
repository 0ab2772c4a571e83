import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectAmqp } from 'amqplib';
import { declareTopology } from '#ingest/source/amqp/declare.ts';
import { getShardQueueName } from '#ingest/source/amqp/topology.ts';
import { createDatabase } from '#src/database/connect.ts';
import { ROUTING_KEYS } from '#src/devices/topics.ts';
import { startBrokerAuthEndpoint } from '../test/support/cluster/broker-calls.ts';
import { startIngestPair } from '../test/support/cluster/ingest-pair.ts';
import { type RabbitCluster, startRabbitMq } from '../test/support/cluster/rabbitmq.ts';
import { startMosquitto } from '../test/support/mosquitto.ts';
import { startRole } from '../test/support/service.ts';
import { findMissingRequirements } from '../test/support/setup/needs.ts';
import type { BenchmarkResult } from './answer.ts';
import { readPostgresCpuMs, readProcessCpuMs } from './cpu.ts';
import { measureMaxAedesRate, measureMaxBrokerRate, startPublisher, waitUntilLastReadingsStored } from './ingest.ts';
import { computeMedian, type PairedDevice, pairDevices, startBenchmarkDatabase } from './support.ts';

const DEVICES = 60;
const MESSAGES = 15_000;
const ROUNDS = 3;
const SHARDS = 64;
/** Number of unacknowledged messages that a worker accepts from each shard (queue of messages). */
const PREFETCH = 8_192 / SHARDS;
const NEEDED = /^(RabbitMQ|mosquitto)/;

/** Broker under test: the addresses to which devices publish and from which workers consume messages. */
interface Broker {
  /** The setting MQTT_URL of a worker; omitted for the embedded broker. */
  workerUrl?: string;
  /** Addresses to which devices publish; omitted if they publish to the worker. */
  devices?: readonly string[];
  pids(): number[];
}

/** CPU time per reading of each group of processes, in µs. */
export interface CpuPerReading {
  broker: number;
  worker: number;
  postgres: number;
}

interface Figure {
  perSecond: number;
  cpuUs: Partial<CpuPerReading>;
}

/**
 * Measures readings/s from publish to commit through a RabbitMQ cluster of one node and of three nodes, with one worker and with two. For
 * comparison, also measures a consumer that only counts messages, mosquitto, and the embedded broker. Includes the CPU time of broker,
 * worker and PostgreSQL.
 */
export async function runBenchmark(): Promise<BenchmarkResult> {
  const missing = findMissingRequirements().filter(({ name }) => NEEDED.test(name));
  for (const { name, how } of missing) console.log(`NOT RUN: ${name} is missing. To have it: ${how}.`);
  if (missing.length > 0) process.exit(2);
  const database = await startBenchmarkDatabase();
  const undo: (() => Promise<unknown>)[] = [() => database.remove()];
  try {
    const calls = await startBrokerAuthEndpoint(createDatabase(database.pool));
    undo.push(() => calls.app.close());
    const clusters = new Map<string, RabbitCluster>();
    for (const count of [1, 3]) {
      process.stderr.write(`${count} of RabbitMQ …\n`);
      const cluster = await startRabbitMq({ count, operator: calls.url });
      undo.push(() => cluster.stop());
      clusters.set(count === 1 ? 'one node' : 'three nodes', cluster);
    }
    const figures = new Map<string, Figure[]>();
    const add = (name: string, figure: Figure) => figures.set(name, [...(figures.get(name) ?? []), figure]);
    const devices = () => pairDevices(database.pool, DEVICES);
    for (let round = 1; round <= ROUNDS; round++) {
      process.stderr.write(`round ${round} of ${ROUNDS} …\n`);
      for (const [name, cluster] of clusters) {
        const broker: Broker = {
          workerUrl: cluster.url(),
          devices: cluster.nodes.map(({ ports }) => `mqtt://127.0.0.1:${ports.mqtt}`),
          pids: () => cluster.nodes.flatMap((node) => node.pids()),
        };
        add(`${name}, counted`, await measureCounting(broker, await devices()));
        add(`${name}, one worker`, await measureWritten(database, await devices(), broker, 1));
        add(`${name}, two workers`, await measureWritten(database, await devices(), broker, 2));
      }
      const mosquitto = await startMosquitto();
      try {
        const broker: Broker = { workerUrl: mosquitto.url, devices: [mosquitto.url], pids: () => [mosquitto.pid] };
        add('mosquitto, counted', {
          ...(await measureMaxBrokerRate(mosquitto.url, await devices(), MESSAGES)),
          cpuUs: {},
        });
        add('mosquitto, one worker', await measureWritten(database, await devices(), broker, 1));
      } finally {
        await mosquitto.stop();
      }
      add('embedded, counted', { ...(await measureMaxAedesRate(await devices(), MESSAGES)), cpuUs: {} });
      add('embedded, one worker', await measureWritten(database, await devices(), { pids: () => [] }, 1));
      // The broker's CPU time includes the CPU time of HAProxy.
      add('embedded, two behind HAProxy', await measureBehindProxy(database, await devices()));
    }
    return answerOf(figures);
  } finally {
    for (const step of undo.reverse()) await step();
  }
}

function answerOf(figures: ReadonlyMap<string, readonly Figure[]>): BenchmarkResult {
  const medianOf = (name: string, of: (figure: Figure) => number | undefined) =>
    computeMedian((figures.get(name) ?? []).map((figure) => of(figure) ?? 0));
  const rate = (name: string) => medianOf(name, ({ perSecond }) => perSecond);
  const toCounted = (name: string) => {
    const [broker] = name.split(', ');
    return Math.round((rate(name) / rate(`${broker}, counted`)) * 100) / 100;
  };
  const all = [...figures.keys()].map((name) => ({
    name,
    perSecond: Math.round(rate(name)),
    toCounted: toCounted(name),
    // The CPU time is 0 for processes that do not exist or were not measured.
    cpuUs: {
      broker: Math.round(medianOf(name, ({ cpuUs }) => cpuUs.broker)),
      worker: Math.round(medianOf(name, ({ cpuUs }) => cpuUs.worker)),
      postgres: Math.round(medianOf(name, ({ cpuUs }) => cpuUs.postgres)),
    },
  }));
  const ratios = {
    three_nodes_to_one: Math.round((rate('three nodes, one worker') / rate('one node, one worker')) * 100) / 100,
    two_workers_to_one: Math.round((rate('three nodes, two workers') / rate('three nodes, one worker')) * 100) / 100,
    three_nodes_to_mosquitto: Math.round((rate('three nodes, one worker') / rate('mosquitto, one worker')) * 100) / 100,
    three_nodes_to_embedded: Math.round((rate('three nodes, one worker') / rate('embedded, one worker')) * 100) / 100,
  };
  return {
    json: { messages: MESSAGES, figures: all, ratios },
    goals: [
      {
        what: 'Readings/s over three nodes of RabbitMQ ÷ over the embedded broker, one worker each',
        measured: ratios.three_nodes_to_embedded,
        goal: null,
      },
    ],
    lines: [
      ...all.map(
        ({ name, perSecond, toCounted, cpuUs }) =>
          `${name.padEnd(24)} ${String(perSecond).padStart(7)} readings/s  ${toCounted.toFixed(2)} of counted  ` +
          `µs CPU each: broker ${cpuUs.broker}, worker ${cpuUs.worker}, PostgreSQL ${cpuUs.postgres}`,
      ),
      '',
      ...Object.entries(ratios).map(([name, ratio]) => `${name.replaceAll('_', ' ').padEnd(24)} ${ratio}`),
    ],
  };
}

/** Measures readings/s through ingest workers into the database. */
async function measureWritten(
  database: Awaited<ReturnType<typeof startBenchmarkDatabase>>,
  devices: PairedDevice[],
  broker: Broker,
  count: number,
): Promise<Figure> {
  const env = {
    DATABASE_URL: database.url,
    DATA_DIR: database.dataDir,
    SHARDS: String(SHARDS),
    ...(broker.workerUrl === undefined ? {} : { MQTT_URL: broker.workerUrl }),
  };
  const workers: Awaited<ReturnType<typeof startRole>>[] = [];
  for (let number = 1; number <= count; number++) workers.push(await startRole('ingest', env));
  // Wait until the second worker has taken over some of the shards.
  if (count > 1) await pause(1_000);
  try {
    const to = broker.devices ?? [`mqtt://127.0.0.1:${workers[0]?.ready.port}`];
    const pids = workers.map((worker) => worker.process.pid as number);
    return await measureIngestOfMessages(database, devices, { to, brokers: broker.pids(), workers: pids });
  } finally {
    for (const worker of workers) await worker.stop();
  }
}

/** Measures readings/s through two ingest processes with the embedded broker, behind HAProxy. */
async function measureBehindProxy(
  database: Awaited<ReturnType<typeof startBenchmarkDatabase>>,
  devices: PairedDevice[],
): Promise<Figure> {
  const { proxy, processes, remove } = await startIngestPair({ url: database.url });
  try {
    const pids = processes.map((one) => one.pid());
    const to = [`mqtt://127.0.0.1:${proxy.ports.mqtt}`];
    return await measureIngestOfMessages(database, devices, { to, brokers: [proxy.pid], workers: pids });
  } finally {
    await remove();
  }
}

/**
 * Publishes the messages and measures the time until they are stored. `database`: database of the devices. `to`: addresses of the brokers.
 * `brokers`, `workers`, `servers`: processes whose CPU time is measured. `untilStored`: waits until the messages of the publisher are
 * stored; by default, it queries the database.
 */
export async function measureIngestOfMessages(
  { pool, dataDir }: Pick<Awaited<ReturnType<typeof startBenchmarkDatabase>>, 'pool' | 'dataDir'>,
  devices: PairedDevice[],
  {
    to,
    brokers,
    workers,
    servers = [dataDir],
    messages = MESSAGES,
    maxUnderWay,
    untilStored = () => waitUntilLastReadingsStored(pool, devices, messages),
  }: {
    to: readonly string[];
    brokers: readonly number[];
    workers: readonly number[];
    servers?: readonly string[];
    messages?: number;
    maxUnderWay?: number;
    untilStored?: (publisher: ChildProcess) => Promise<void>;
  },
): Promise<{ perSecond: number; cpuUs: CpuPerReading }> {
  const child = await startPublisher(to, devices, { messages, maxUnderWay });
  const cpuMs = () => ({
    broker: sum(brokers),
    worker: sum(workers),
    postgres: sumPostgresCpuMs(servers),
  });
  const [fromMs, before] = [performance.now(), cpuMs()];
  child.send('go');
  await untilStored(child);
  const [tookMs, after] = [performance.now() - fromMs, cpuMs()];
  const each = (part: keyof CpuPerReading) => ((after[part] - before[part]) * 1_000) / messages;
  return {
    perSecond: messages / (tookMs / 1_000),
    cpuUs: { broker: each('broker'), worker: each('worker'), postgres: each('postgres') },
  };
}

/** Measures a consumer that only counts and acknowledges the messages of all shards. Like a worker, the consumer uses one connection. */
async function measureCounting(broker: Broker, devices: PairedDevice[]): Promise<Figure> {
  // Connects to the first host only, because all hosts belong to one cluster.
  const connection = await connectAmqp((broker.workerUrl ?? '').replace(/,.*/, ''), { noDelay: true });
  try {
    await declareTopology(connection, SHARDS, ROUTING_KEYS);
    let count = 0;
    let finish = () => {};
    const all = new Promise<void>((resolve) => {
      finish = resolve;
    });
    for (let shard = 0; shard < SHARDS; shard++) {
      const channel = await connection.createChannel();
      await channel.prefetch(PREFETCH);
      await channel.consume(getShardQueueName(shard), (message) => {
        if (!message) return;
        channel.ack(message);
        if (++count === MESSAGES) finish();
      });
    }
    const child = await startPublisher(broker.devices ?? [], devices, { messages: MESSAGES });
    const [fromMs, before] = [performance.now(), sum(broker.pids())];
    child.send('go');
    await all;
    const tookMs = performance.now() - fromMs;
    return {
      perSecond: MESSAGES / (tookMs / 1_000),
      cpuUs: { broker: ((sum(broker.pids()) - before) * 1_000) / MESSAGES },
    };
  } finally {
    await connection.close();
  }
}

const sum = (pids: readonly number[]) => pids.reduce((ms, pid) => ms + readProcessCpuMs(pid), 0);

/** Returns the CPU time that the PostgreSQL servers of data folders have used so far, in ms. */
export const sumPostgresCpuMs = (dataDirs: readonly string[]): number =>
  dataDirs.reduce((ms, folder) => ms + readPostgresCpuMs(join(folder, 'postgres')), 0);
