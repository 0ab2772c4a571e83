import { type IngestPair, startIngestPair } from '../../test/support/cluster/ingest-pair.ts';
import { type CpuPerReading, measurePublishing } from '../cluster.ts';
import { waitUntilLastReadingsStored } from '../ingest.ts';
import { computeMedian, type PairedDevice } from '../support.ts';
import type { BenchmarkCell, CellsInstallationUnderTest } from './rig.ts';

const DEVICES = 60;
/**
 * Maximum number of messages that await their acknowledgement. It is high enough for two ingest processes to write full batches, which the
 * goals assume.
 */
const MAX_UNDER_WAY = 20_000;

/**
 * CPU time per message in µs, through a router to one cell (installation) and to two cells, and through HAProxy to two ingest processes of
 * one cell.
 */
export interface CpuPerMessageByRoute {
  one: CpuPerReading;
  two: CpuPerReading;
  pair: CpuPerReading;
}

/**
 * Measures the CPU time per message, as the median of several rounds. A first round is not measured, because code is compiled during it.
 */
export async function measureCpuPerMessage(
  rig: CellsInstallationUnderTest,
  { messages, rounds }: { messages: number; rounds: number },
): Promise<CpuPerMessageByRoute> {
  const [first] = rig.cells;
  const pair = await startIngestPair({ url: first.database.url });
  try {
    const all: CpuPerMessageByRoute[] = [];
    for (let round = 0; round <= rounds; round++) {
      process.stderr.write(`load, round ${round} of ${rounds} …\n`);
      // The three cases are measured directly one after another, so that changes of other load on the machine affect all three.
      const costs = {
        one: await throughRouter(rig, 1, messages),
        two: await throughRouter(rig, 2, messages),
        pair: await throughPair(first, pair, messages),
      };
      if (round > 0) all.push(costs);
    }
    const medianOf = (which: keyof CpuPerMessageByRoute): CpuPerReading => {
      const part = (of: keyof CpuPerReading) => computeMedian(all.map((costs) => costs[which][of]));
      return { broker: part('broker'), worker: part('worker'), postgres: part('postgres') };
    };
    return { one: medianOf('one'), two: medianOf('two'), pair: medianOf('pair') };
  } finally {
    await pair.remove();
  }
}

/** Publishes the same number of messages to one cell or to both. The total number of devices is also the same. */
async function throughRouter(
  { routers, cells }: CellsInstallationUnderTest,
  count: 1 | 2,
  messages: number,
): Promise<CpuPerReading> {
  const [router] = routers.all;
  const used = cells.slice(0, count);
  const share = messages / count;
  const paired: PairedDevice[][] = [];
  for (const cell of used) paired.push(await cell.pair(DEVICES / count));
  // Devices of the two cells alternate, so that both cells are busy at all times.
  const devices = (paired[0] ?? []).flatMap((_, index) => paired.flatMap((of) => of[index] ?? []));
  const { cpuUs } = await measurePublishing(cells[0].database, devices, {
    to: [`mqtt://127.0.0.1:${router.ports.mqtt}`],
    brokers: [router.pid()],
    workers: used.map((cell) => cell.of('ingest').pid()),
    servers: used.map(({ database }) => database.dataDir),
    messages,
    maxUnderWay: MAX_UNDER_WAY,
    async untilStored() {
      await Promise.all(
        used.map(({ database }, index) => waitUntilLastReadingsStored(database.pool, paired[index] ?? [], share)),
      );
    },
  });
  return cpuUs;
}

async function throughPair(
  cell: BenchmarkCell,
  { proxy, processes }: IngestPair,
  messages: number,
): Promise<CpuPerReading> {
  const { cpuUs } = await measurePublishing(cell.database, await cell.pair(DEVICES), {
    to: [`mqtt://127.0.0.1:${proxy.ports.mqtt}`],
    brokers: [proxy.pid],
    workers: processes.map((one) => one.pid()),
    messages,
    maxUnderWay: MAX_UNDER_WAY,
  });
  return cpuUs;
}
