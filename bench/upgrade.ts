import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createPool } from '#src/database/connect.ts';
import { getClusterFolder, startEmbeddedPostgres } from '#src/database/embedded-postgres.ts';
import { migrate } from '#src/database/migrate.ts';
import { loadEarlierBinaries } from '#src/database/postgres-binaries.ts';
import { upgradeDatabase } from '#src/start/upgrade-database.ts';
import { EARLIER_POSTGRES_FOLDER, EARLIER_POSTGRES_MAJOR } from '../test/support/earlier-postgres.ts';
import { createTemporaryFolder } from '../test/support/service.ts';
import type { BenchmarkResult } from './answer.ts';
import { insertHistory, READINGS_PER_HOME_YEAR } from './history.ts';

const HOMES = Number(process.argv.find((flag) => flag.startsWith('--homes='))?.slice(8) ?? '50');
const DAY_MS = 86_400_000;

/** Measures how long `energy upgrade-database` takes for a year of data of homes with a reading every five minutes. */
export async function runBenchmark(): Promise<BenchmarkResult> {
  const folder = await createTemporaryFolder();
  const dataDir = join(folder.path, 'data');
  const binaries = await loadEarlierBinaries(EARLIER_POSTGRES_MAJOR, EARLIER_POSTGRES_FOLDER);
  const server = await startEmbeddedPostgres({ dataDir, binaries });
  const pool = createPool(server.url);
  const found = (await migrate(pool)).database;
  await pool.query(
    `WITH n AS (SELECT generate_series(1, $1::int) AS i),
     made AS (INSERT INTO users (user_id, email, role) SELECT 'usr_' || i, i || '@example.com', 'homeowner' FROM n)
     INSERT INTO devices (device_id, user_id, type, location, mqtt_secret_sha256)
     SELECT 'dev_' || i, 'usr_' || i, 'smart_meter', 'bench', '' FROM n`,
    [HOMES],
  );
  const day = (ago: number) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);
  await insertHistory({ pool, found }, { start: day(365), end: day(1) }, 1, HOMES);
  await pool.end();
  await server.stop();
  const bytes = await sizeOf(getClusterFolder(dataDir));

  const steps: { step: string; startedAt: number }[] = [];
  const step = (text: string) => void steps.push({ step: text, startedAt: performance.now() });
  const report = await upgradeDatabase(dataDir, { step, progress: () => {}, programs: join(binaries.pgCtl, '..') });
  step('done');
  const seconds = steps.slice(0, -1).map(({ step: name, startedAt }, index) => {
    const endedAt = steps[index + 1]?.startedAt ?? startedAt;
    return { step: name, seconds: Math.round((endedAt - startedAt) / 100) / 10 };
  });
  const total = seconds.reduce((sum, one) => sum + one.seconds, 0);
  const upgradedBytes = await sizeOf(getClusterFolder(dataDir));
  await rm(folder.path, { recursive: true, force: true });
  const rows = report?.relations.reduce((sum, one) => sum + one.rows, 0) ?? 0;
  const megabytes = (size: number) => Math.round(size / 1_000_000);
  return {
    goals: [{ what: 'The whole upgrade', measured: Math.round(total), unit: ' s', goal: null }],
    lines: [
      `${HOMES} homes, ${HOMES * READINGS_PER_HOME_YEAR} readings, ${rows} rows in all, ${megabytes(bytes)} MB (then ${megabytes(upgradedBytes)} MB)`,
      ...seconds.map((one) => `${one.seconds.toFixed(1).padStart(8)} s  ${one.step}`),
      `${total.toFixed(1).padStart(8)} s  in all, from PostgreSQL ${report?.from} to ${report?.to}; every relation equal by count and sum: ${report?.mended.length === 0}`,
    ],
    json: { homes: HOMES, rows, bytes, upgradedBytes, steps: seconds, seconds: total, mended: report?.mended },
  };
}

async function sizeOf(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  let size = 0;
  for (const one of files) if (one.isFile()) size += (await stat(join(one.parentPath, one.name))).size;
  return size;
}
