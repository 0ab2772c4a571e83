import { setCell } from '#src/core/cell.ts';
import { type Cell, startCell } from '../../test/support/cluster/cell.ts';
import { getRoutedCell, type RouterGroup, startRouters } from '../../test/support/cluster/router.ts';
import { type LocalCertificate, makeLocalCertificate } from '../../test/support/local-certificate.ts';
import { type PairedDevice, pairDevices, startBenchmarkDatabase } from '../support.ts';

type BenchmarkDatabase = Awaited<ReturnType<typeof startBenchmarkDatabase>>;

/** A cell with a database server of its own. */
export interface BenchmarkCell extends Cell {
  database: BenchmarkDatabase;
  /** Pairs devices, each in a home of its own. The devices' ids contain the name of the cell. */
  pair(count: number): Promise<PairedDevice[]>;
}

/** Two routers in front of two cells. Each cell has a database server, an API process and an ingest process with the embedded broker. */
export interface TwoCellInstallation {
  tls: LocalCertificate;
  routers: RouterGroup;
  /** `first` and `c2`. */
  cells: readonly [BenchmarkCell, BenchmarkCell];
  remove(): Promise<void>;
}

export async function startTwoCellInstallation(): Promise<TwoCellInstallation> {
  const undo: (() => Promise<unknown>)[] = [];
  const remove = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const tls = await makeLocalCertificate();
    const cells: BenchmarkCell[] = [];
    for (const name of ['first', 'c2']) {
      const database = await startBenchmarkDatabase();
      undo.push(() => database.remove());
      const cell = await startCell({ name, url: database.url, tls });
      undo.push(() => cell.remove());
      const pair = (count: number) => runInCellContext(cell, () => pairDevices(database.pool, count));
      cells.push({ ...cell, database, pair });
    }
    const [first, c2] = cells as [BenchmarkCell, BenchmarkCell];
    const routers = await startRouters({ tls, first: getRoutedCell(first), c2: getRoutedCell(c2), count: 2 });
    undo.push(() => routers.stop());
    return { tls, routers, cells: [first, c2], remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Runs a function as if it ran in the cell: identifiers and keys that the function creates contain the name of the cell. */
export async function runInCellContext<T>({ env }: Cell, run: () => Promise<T>): Promise<T> {
  setCell(env.CELL);
  try {
    return await run();
  } finally {
    setCell(undefined);
  }
}
