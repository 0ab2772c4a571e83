import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPool } from '#src/database/connect.ts';
import { getClusterFolder, startEmbeddedPostgres } from '#src/database/embedded-postgres.ts';
import { migrate } from '#src/database/migrate.ts';
import { findFirstCheckedMonth } from '#src/rollups/check.ts';
import { checkAllRollups } from '#src/rollups/check-all.ts';
import { checkChecksums } from './checksums.ts';
import { restoreBackup } from './restore.ts';

/** Result of a trial restore. */
export type VerificationReport = Awaited<ReturnType<typeof verifyBackup>>;

/** Shared buffers in MB of the temporary server. */
const SHARED_BUFFERS_MB = 128;

/**
 * Restores a copy into a temporary folder, checks its aggregates and page checksums, counts its content, and removes the folder.
 * Throws if the copy cannot be restored.
 */
export async function verifyBackup(options: {
  from: string;
  at: Date | null;
  passphrase: string | null;
  retentionMonths: number;
  now: Date;
}) {
  const { retentionMonths, now, ...restored } = options;
  const folder = await mkdtemp(join(tmpdir(), 'energy-verify-'));
  const dataDir = join(folder, 'data');
  try {
    const { manifest, segments, until } = await restoreBackup({ ...restored, dataDir, targets: null });
    const { hasChecksums, ...content } = await checkContent(dataDir, retentionMonths, now);
    const checksums = hasChecksums ? await checkChecksums(getClusterFolder(dataDir)) : null;
    return {
      /** Whether the trial restore found no fault in the copy. */
      ok: content.rollups_differing === 0 && (checksums?.damaged.length ?? 0) === 0,
      /** Version of the service that made the copy. */
      service: manifest.service,
      /** The restored state contains every transaction that was committed before this time. ISO 8601. */
      until: until.toISOString(),
      wal_segments: segments,
      has_secret_key: manifest.has_secret_key,
      ...content,
      /** Result of checking the page checksums. Null if the database was created without checksums. */
      checksums,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Counts = Record<'users' | 'devices' | 'readings' | 'api_keys', number>;

async function checkContent(dataDir: string, retentionMonths: number, now: Date) {
  const server = await startEmbeddedPostgres({ dataDir, sharedBuffersMb: SHARED_BUFFERS_MB });
  const pool = createPool(server.url, { max: 2, applicationName: 'energy backup verify' });
  try {
    // Migrates a restored copy of an older version to the schema of this version.
    const { capabilities } = (await migrate(pool)).database;
    // Raw SQL: the statement counts the rows of several relations, and reads a setting of the server.
    const { rows } = await pool.query<Counts & { hasChecksums: boolean }>(
      `SELECT (SELECT count(*) FROM users) AS users, (SELECT count(*) FROM devices) AS devices,
         (SELECT count(*) FROM readings) AS readings, (SELECT count(*) FROM api_keys) AS api_keys,
         current_setting('data_checksums') = 'on' AS "hasChecksums"`,
    );
    const { hasChecksums, ...counts } = rows[0] as (typeof rows)[number];
    const since = findFirstCheckedMonth(now, retentionMonths);
    const { differing } = await checkAllRollups(pool, { capabilities, since, mode: 'check' });
    return { counts, rollups_differing: differing, hasChecksums };
  } finally {
    await pool.end();
    await server.stop();
  }
}
