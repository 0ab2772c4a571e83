import { existsSync } from 'node:fs';
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createPool } from '#src/database/connect.ts';
import { fingerprintOf } from '#src/database/copy/copy-rows.ts';
import { copyCluster, isFilled, stateOfCluster } from '#src/database/copy/filling.ts';
import {
  clusterOf,
  majorOf,
  startEmbeddedPostgres,
  stopEmbeddedPostgres,
  upgradedDirOf,
  upgradeFolderOf,
} from '#src/database/embedded-postgres.ts';
import {
  binariesIn,
  earlierBinaries,
  type PostgresBinaries,
  postgresBinaries,
} from '#src/database/postgres-binaries.ts';
import { STORED_LEVELS, storedOf } from '#src/rollups/levels.ts';
import { MOVED, type MoveSteps, move } from './move.ts';

/** Result of an upgrade. */
export interface UpgradeReport {
  /** Major versions of PostgreSQL. */
  from: number;
  to: number;
  /** Folder of the old cluster, as it was. */
  kept: string;
  /** Every relation with its rows: the same in both, by count and sum. */
  relations: { relation: string; rows: number }[];
  /** Of those the aggregates that were computed anew, and say something else than the old ones did. */
  mended: string[];
}

/** Folders of an upgrade, below the data directory. */
const foldersOf = (dataDir: string) => {
  const work = upgradeFolderOf(dataDir);
  return {
    work,
    /** Data directories of the copy of the old cluster, and of the new one. */
    old: join(work, 'old'),
    new: upgradedDirOf(dataDir),
    programs: join(work, 'programs'),
    /** What is known once all is compared: from then on the new cluster takes the old one's place. */
    report: join(work, 'report.json'),
  };
};

/**
 * Makes a cluster of this version's PostgreSQL of one of an earlier major version, which is kept as it is beside it: of a copy of it, by the
 * move between two databases, compared relation by relation. The data directory must be held (lockDataDir). May be broken off
 * (kill -9) at any point and begun again: the old cluster is in its place until the new one is complete. `programs`: folder with the earlier
 * version's; without it npm fetches them. Null where there is nothing to do. Throws with what to do.
 */
export async function upgradeDatabase(
  dataDir: string,
  { programs, step, progress }: MoveSteps & { programs?: string | undefined },
): Promise<UpgradeReport | null> {
  const ours = postgresBinaries();
  const at = foldersOf(dataDir);
  const made = await majorOf(dataDir);
  const known = await reportIn(at.report);
  if (made === null && !known) throw new Error(`There is no embedded database in ${dataDir}.`);
  // Broken off when the new cluster was complete, at its last steps.
  if (made === null && known) return takePlace(dataDir, known.report);
  if (made === ours.major || made === null) {
    if (known) await rm(at.work, { recursive: true, force: true });
    return known?.report ?? null;
  }
  if (made > ours.major) {
    throw new Error(
      `The database is of PostgreSQL ${made}, and this version of the service brings ${ours.major}. Run the version of the service ` +
        'again that made it, or a later one.',
    );
  }
  const kept = `${clusterOf(dataDir)}-${made}`;
  if (existsSync(kept)) throw new Error(`${kept} is there: of an upgrade before? Give it another name first.`);
  const old = programs === undefined ? await earlierBinaries(made, at.programs) : binariesIn(programs);
  if (old.major !== made) throw new Error(`${programs} has PostgreSQL ${old.major}; the database is of ${made}.`);
  // Left behind by a service that was killed.
  await stopEmbeddedPostgres(dataDir, old);
  const state = await stateOfCluster(clusterOf(dataDir));
  if (known?.state === state) return takePlace(dataDir, known.report);
  await stopBoth(at, old, ours);
  step('Copying the old database …');
  const isFresh = await copyCluster(clusterOf(dataDir), clusterOf(at.old), state);
  if (isFresh) await rm(at.new, { recursive: true, force: true });
  try {
    step(`Moving it from PostgreSQL ${made} to ${ours.major} …`);
    const source = await startEmbeddedPostgres({ dataDir: at.old, binaries: old });
    const target = await startEmbeddedPostgres({ dataDir: at.new });
    await moveOnce(source.url, target.url, { step: () => {}, progress });
    step('Comparing …');
    const compared = await compare(source.url, target.url, progress);
    await stopBoth(at, old, ours);
    const report = { from: made, to: ours.major, kept, ...compared };
    await writeWhole(at.report, JSON.stringify({ state, report } satisfies Noted));
    return await takePlace(dataDir, report);
  } finally {
    await stopBoth(at, old, ours);
  }
}

/** With the state that the old cluster had when it was copied: the report is of no other. */
interface Noted {
  state: string;
  report: UpgradeReport;
}

async function reportIn(file: string): Promise<Noted | null> {
  const text = await readFile(file, 'utf8').catch(() => null);
  return text === null ? null : JSON.parse(text);
}

async function stopBoth(
  at: { old: string; new: string },
  old: PostgresBinaries,
  ours: PostgresBinaries,
): Promise<void> {
  await stopEmbeddedPostgres(at.old, old);
  await stopEmbeddedPostgres(at.new, ours);
}

/** Moves, unless that was done before this was broken off. */
async function moveOnce(sourceUrl: string, targetUrl: string, steps: MoveSteps): Promise<void> {
  const pools = { source: createPool(sourceUrl, { max: 1 }), target: createPool(targetUrl, { max: 1 }) };
  // A database that was just made knows of no installation.
  const isDone = await isFilled(pools).catch(() => false);
  await Promise.all([pools.source.end(), pools.target.end()]);
  if (isDone) return;
  await move(sourceUrl, targetUrl, { timescale: 'auto' }, steps).catch((error: Error) => {
    // What it says of the old database is true of the copy.
    throw new Error(`The upgrade stopped, and the database is as it was: ${error.message}`, { cause: error });
  });
}

/** Compares every relation, those that were copied and those that were computed, by count and sum. Throws where what was copied differs. */
async function compare(
  sourceUrl: string,
  targetUrl: string,
  progress: MoveSteps['progress'],
): Promise<Pick<UpgradeReport, 'relations' | 'mended'>> {
  const pools = [createPool(sourceUrl, { max: 1 }), createPool(targetUrl, { max: 1 })];
  const clients = await Promise.all(pools.map((pool) => pool.connect()));
  const relations: UpgradeReport['relations'] = [];
  const mended: string[] = [];
  try {
    const copied = MOVED.map(({ relation }) => relation);
    const all = [...copied, ...STORED_LEVELS.map(storedOf)];
    for (const relation of all) {
      const [was, is = ''] = await Promise.all(clients.map((client) => fingerprintOf(client, relation)));
      if (was !== is && copied.includes(relation))
        throw new Error(
          `${relation} differs in the new database (count and sum ${was}; ${is}). The old one is as it was.`,
        );
      if (was !== is) mended.push(relation);
      relations.push({ relation, rows: Number(is.split(' ')[0]) });
      progress('comparing', relations.length, all.length);
    }
    return { relations, mended };
  } finally {
    for (const client of clients) client.release();
    await Promise.all(pools.map((pool) => pool.end()));
  }
}

/** Puts the new cluster in the old one's place; what of it was done before it was broken off is not done again. */
async function takePlace(dataDir: string, report: UpgradeReport): Promise<UpgradeReport> {
  const at = foldersOf(dataDir);
  const cluster = clusterOf(dataDir);
  if (existsSync(cluster)) await rename(cluster, report.kept);
  await rename(clusterOf(at.new), cluster);
  await flush(dirname(cluster));
  await rm(at.work, { recursive: true, force: true });
  return report;
}

async function writeWhole(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text, { flush: true });
  await rename(`${file}.new`, file);
  await flush(dirname(file));
}

/** Makes names of a folder survive a power cut. */
async function flush(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync();
  await handle.close();
}
