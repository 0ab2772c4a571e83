import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { createPool } from '#src/database/connect.ts';
import { getSuperuserUrl } from '#src/database/embedded-postgres.ts';
import { type IngestPair, startIngestPair } from '../../test/support/cluster/ingest-pair.ts';
import { type CpuPerReading, measureIngestOfMessages, sumPostgresCpuMs } from '../cluster.ts';
import { computeMedian, type PairedDevice } from '../support.ts';
import type { BenchmarkCell, TwoCellInstallation } from './rig.ts';

/** Number of devices of each cell. */
const DEVICES = 60;
/**
 * Messages of each cell that await their acknowledgement: enough for full batches in two ingest processes. The goals are set for full
 * batches.
 */
const MAX_UNDER_WAY = 20_000;

/**
 * CPU time per message in µs, through a router to one cell (installation) and to two cells with an ingest process each, and through HAProxy
 * to one cell with two ingest processes. `two` and `pair` have the same load and the same number of processes, but two databases or one.
 */
interface CpuPerMessageByRoute {
  one: CpuPerMessage;
  two: CpuPerMessage;
  pair: CpuPerMessage;
}

/**
 * `postgresAtRest`: CPU time of the database servers without load, over as much time as the messages took, per message. `postgres` excludes
 * it.
 */
interface CpuPerMessage extends CpuPerReading {
  postgresAtRest: number;
}

/**
 * Measures the CPU time per message, as the median of several rounds. A first round is not measured, because code is compiled during it.
 */
export async function measureCpuPerMessage(
  rig: TwoCellInstallation,
  { messages, rounds }: { messages: number; rounds: number },
): Promise<CpuPerMessageByRoute> {
  const pair = await startIngestPair({ url: rig.cells[0].database.url });
  try {
    const all = await runWithoutAutovacuum(rig.cells, () => measureRounds(rig, pair, { messages, rounds }));
    const medianOf = (which: keyof CpuPerMessageByRoute): CpuPerMessage => {
      const part = (of: keyof CpuPerMessage) => computeMedian(all.map((costs) => costs[which][of]));
      return {
        ...{ broker: part('broker'), worker: part('worker') },
        ...{ postgres: part('postgres'), postgresAtRest: part('postgresAtRest') },
      };
    };
    return { one: medianOf('one'), two: medianOf('two'), pair: medianOf('pair') };
  } finally {
    await pair.remove();
  }
}

async function measureRounds(
  rig: TwoCellInstallation,
  pair: IngestPair,
  { messages, rounds }: { messages: number; rounds: number },
): Promise<CpuPerMessageByRoute[]> {
  const all: CpuPerMessageByRoute[] = [];
  for (let round = 0; round <= rounds; round++) {
    process.stderr.write(`load, round ${round} of ${rounds} …\n`);
    // The three cases are measured directly one after another, so that changes of other load on the machine affect all three.
    const costs = {
      one: await throughRouter(rig, 1, messages),
      two: await throughRouter(rig, 2, messages),
      pair: await throughPair(rig.cells[0], pair, messages),
    };
    if (round > 0) all.push(costs);
  }
  return all;
}

/** Publishes the same number of messages to each of the cells, which have an ingest process each, from the same number of devices. */
async function throughRouter(
  { routers, cells }: TwoCellInstallation,
  count: 1 | 2,
  messages: number,
): Promise<CpuPerMessage> {
  const [router] = routers.all;
  const used = cells.slice(0, count);
  const paired: PairedDevice[][] = [];
  for (const cell of used) paired.push(await cell.pair(DEVICES));
  // Devices of the two cells alternate, so that both cells are busy at all times.
  const devices = (paired[0] ?? []).flatMap((_, index) => paired.flatMap((of) => of[index] ?? []));
  return publish(used, devices, {
    to: [`mqtt://127.0.0.1:${router.ports.mqtt}`],
    brokers: [router.pid()],
    workers: used.map((cell) => cell.of('ingest').pid()),
    messages: messages * count,
    maxUnderWay: MAX_UNDER_WAY * count,
  });
}

async function throughPair(
  cell: BenchmarkCell,
  { proxy, processes }: IngestPair,
  messages: number,
): Promise<CpuPerMessage> {
  const count = processes.length;
  return publish([cell], await cell.pair(DEVICES * count), {
    to: [`mqtt://127.0.0.1:${proxy.ports.mqtt}`],
    brokers: [proxy.pid],
    workers: processes.map((one) => one.pid()),
    messages: messages * count,
    maxUnderWay: MAX_UNDER_WAY * count,
  });
}

/** Publishes messages to cells and measures the CPU time per message, from a checkpoint of each database until the last PUBACK. */
async function publish(
  cells: readonly BenchmarkCell[],
  devices: PairedDevice[],
  load: { to: string[]; brokers: number[]; workers: number[]; messages: number; maxUnderWay: number },
): Promise<CpuPerMessage> {
  const [first] = cells as [BenchmarkCell];
  // After a checkpoint, the first change of each page makes PostgreSQL write the whole page to the WAL. A checkpoint before each
  // measurement makes this cost equal for all measurements.
  await runAsSuperuser(cells, ['CHECKPOINT']);
  const servers = cells.map(({ database }) => database.dataDir);
  const { messages } = load;
  const { perSecond, cpuUs } = await measureIngestOfMessages(first.database, devices, {
    ...load,
    servers,
    // The embedded broker sends a PUBACK after the commit, so the benchmark waits for the last PUBACK. Queries for the stored readings
    // would add to PostgreSQL's CPU time.
    untilStored: async (publisher) => void (await once(publisher, 'message')),
  });
  const restFromMs = sumPostgresCpuMs(servers);
  await pause((messages / perSecond) * 1_000);
  const postgresAtRest = ((sumPostgresCpuMs(servers) - restFromMs) * 1_000) / messages;
  return { ...cpuUs, postgres: cpuUs.postgres - postgresAtRest, postgresAtRest };
}

/** Runs a function while autovacuum is off in all cells: otherwise its CPU time would count for any of the measurements. */
async function runWithoutAutovacuum<T>(cells: readonly BenchmarkCell[], run: () => Promise<T>): Promise<T> {
  const reload = 'SELECT pg_reload_conf()';
  await runAsSuperuser(cells, ['ALTER SYSTEM SET autovacuum = off', reload]);
  try {
    return await run();
  } finally {
    await runAsSuperuser(cells, ['ALTER SYSTEM RESET autovacuum', reload]);
  }
}

async function runAsSuperuser(cells: readonly BenchmarkCell[], statements: readonly string[]): Promise<void> {
  for (const { database } of cells) {
    const pool = createPool(getSuperuserUrl(database.dataDir, 'postgres'), { max: 1 });
    try {
      for (const statement of statements) await pool.query(statement);
    } finally {
      await pool.end();
    }
  }
}
