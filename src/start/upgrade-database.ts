import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { flushFolder } from '#src/backup/files.ts';
import { createPool } from '#src/database/connect.ts';
import { computeFingerprint } from '#src/database/copy/copy-rows.ts';
import { copyCluster, hashClusterState, isTargetFilled } from '#src/database/copy/filling.ts';
import {
  getClusterFolder,
  getUpgradedDataFolder,
  getUpgradeFolder,
  readMajorVersion,
  startEmbeddedPostgres,
  stopEmbeddedPostgres,
} from '#src/database/embedded-postgres.ts';
import {
  findPostgresBinaries,
  getBinariesIn,
  loadEarlierBinaries,
  type PostgresBinaries,
} from '#src/database/postgres-binaries.ts';
import { getClosedHoursRelation, STORED_ROLLUP_LEVELS } from '#src/rollups/levels.ts';
import { MOVED_RELATIONS, type MoveCallbacks, moveInstallation } from './move.ts';

export interface UpgradeReport {
  /** Major versions of PostgreSQL before and after the upgrade. */
  from: number;
  to: number;
  /** Path of the folder with the unchanged old cluster. */
  kept: string;
  /**
   * Every relation with its number of rows in the new cluster. The number equals that in the old cluster, except for relations in `mended`.
   */
  relations: { relation: string; rows: number }[];
  /** Aggregates whose recomputed values differ from those in the old cluster. */
  mended: string[];
}

const foldersOf = (dataDir: string) => {
  const work = getUpgradeFolder(dataDir);
  return {
    work,
    /** Data directory of the old cluster's copy. */
    old: join(work, 'old'),
    /** Data directory of the new cluster. */
    new: getUpgradedDataFolder(dataDir),
    programs: join(work, 'programs'),
    /**
     * File with the report of the comparison. It is written before the new cluster replaces the old one, so that an interrupted upgrade can
     * continue with the replacement.
     */
    report: join(work, 'report.json'),
  };
};

/**
 * Upgrades a cluster of an earlier major version of PostgreSQL. Moves a copy of the data into a new cluster, and compares each relation;
 * the old cluster is not changed. The data directory must be locked. May be interrupted at any point and run again. `programs`: folder with
 * the earlier version's programs; by default npm installs them. Returns null if no upgrade is needed. Errors contain the remedy.
 */
export async function upgradeDatabase(
  dataDir: string,
  { programs, step, progress }: MoveCallbacks & { programs?: string | undefined },
): Promise<UpgradeReport | null> {
  const ours = findPostgresBinaries();
  const at = foldersOf(dataDir);
  const made = await readMajorVersion(dataDir);
  const known = await reportIn(at.report);
  if (made === null && !known) throw new Error(`There is no embedded database in ${dataDir}.`);
  // An earlier run was interrupted in its last steps, so the new cluster is complete.
  if (made === null && known) return takePlace(dataDir, known.report);
  if (made === ours.major || made === null) {
    if (known) await rm(at.work, { recursive: true, force: true });
    return known?.report ?? null;
  }
  if (made > ours.major) {
    throw new Error(
      `The database was made by PostgreSQL ${made}, and this version of the service contains ${ours.major}. Run the version ` +
        'of the service that made it, or a later one.',
    );
  }
  const oldClusterFolder = `${getClusterFolder(dataDir)}-${made}`;
  if (existsSync(oldClusterFolder))
    throw new Error(`${oldClusterFolder} already exists, perhaps from an earlier upgrade. Rename it first.`);
  const old = programs === undefined ? await loadEarlierBinaries(made, at.programs) : getBinariesIn(programs);
  if (old.major !== made)
    throw new Error(`${programs} has PostgreSQL ${old.major}, but the database was made by PostgreSQL ${made}.`);
  // After the service was killed, the old server may still be running.
  await stopEmbeddedPostgres(dataDir, old);
  const state = await hashClusterState(getClusterFolder(dataDir));
  if (known?.state === state) return takePlace(dataDir, known.report);
  await stopBoth(at, old, ours);
  step('Copying the old database …');
  const isFresh = await copyCluster(getClusterFolder(dataDir), getClusterFolder(at.old), state);
  if (isFresh) await rm(at.new, { recursive: true, force: true });
  try {
    step(`Moving it from PostgreSQL ${made} to ${ours.major} …`);
    const source = await startEmbeddedPostgres({ dataDir: at.old, binaries: old });
    const target = await startEmbeddedPostgres({ dataDir: at.new });
    await moveOnce(source.url, target.url, { step: () => {}, progress });
    step('Comparing …');
    const compared = await compare(source.url, target.url, progress);
    await stopBoth(at, old, ours);
    const report = { from: made, to: ours.major, kept: oldClusterFolder, ...compared };
    await writeWhole(at.report, JSON.stringify({ state, report } satisfies Noted));
    return await takePlace(dataDir, report);
  } finally {
    await stopBoth(at, old, ours);
  }
}

/** The report of an upgrade, and the state of the old cluster to which it applies. If that state has changed, the report is not valid. */
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

/** Moves the data, unless an earlier run completed this step. */
async function moveOnce(sourceUrl: string, targetUrl: string, steps: MoveCallbacks): Promise<void> {
  const pools = { source: createPool(sourceUrl, { max: 1 }), target: createPool(targetUrl, { max: 1 }) };
  // If the new cluster has no schema yet, the query fails. The move has then not been completed.
  const isDone = await isTargetFilled(pools).catch(() => false);
  await Promise.all([pools.source.end(), pools.target.end()]);
  if (isDone) return;
  await moveInstallation(sourceUrl, targetUrl, { timescale: 'auto' }, steps).catch((error: Error) => {
    // The error concerns a copy of the old cluster. The old cluster itself is unchanged.
    throw new Error(`The upgrade stopped, and the database is unchanged: ${error.message}`, { cause: error });
  });
}

/**
 * Compares every relation in the two clusters: the number of rows, and the sum of the rows' hashes. Throws if a copied relation differs,
 * but not if an aggregate differs.
 */
async function compare(
  sourceUrl: string,
  targetUrl: string,
  progress: MoveCallbacks['progress'],
): Promise<Pick<UpgradeReport, 'relations' | 'mended'>> {
  const pools = [createPool(sourceUrl, { max: 1 }), createPool(targetUrl, { max: 1 })];
  const clients = await Promise.all(pools.map((pool) => pool.connect()));
  const relations: UpgradeReport['relations'] = [];
  const mended: string[] = [];
  try {
    const copied = MOVED_RELATIONS.map(({ relation }) => relation);
    const all = [...copied, ...STORED_ROLLUP_LEVELS.map(getClosedHoursRelation)];
    for (const relation of all) {
      const [was, is = ''] = await Promise.all(clients.map((client) => computeFingerprint(client, relation)));
      if (was !== is && copied.includes(relation))
        throw new Error(
          `${relation} differs in the new database (count and sum ${was}; ${is}). The old database is unchanged.`,
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

/** Replaces the old cluster with the new one. Skips steps that an earlier run completed. */
async function takePlace(dataDir: string, report: UpgradeReport): Promise<UpgradeReport> {
  const at = foldersOf(dataDir);
  const cluster = getClusterFolder(dataDir);
  if (existsSync(cluster)) await rename(cluster, report.kept);
  await rename(getClusterFolder(at.new), cluster);
  await flushFolder(dirname(cluster));
  await rm(at.work, { recursive: true, force: true });
  return report;
}

async function writeWhole(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text, { flush: true });
  await rename(`${file}.new`, file);
  await flushFolder(dirname(file));
}
