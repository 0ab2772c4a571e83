import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DateTime } from 'luxon';
import { DAY_MS } from '#src/core/units.ts';
import { VERSION } from '#src/core/version.ts';
import { ADVISORY_LOCKS } from './advisory-locks.ts';
import { type DetectedDatabase, detectCapabilities } from './capabilities.ts';
import type { Pool, PoolClient } from './connect.ts';
import { waitForExclusiveLock } from './exclusive-lock.ts';
import { runInTransactionOnConnection } from './transaction.ts';

const SQL = fileURLToPath(new URL('../../sql/', import.meta.url));

interface Migrated {
  applied: string[];
  database: DetectedDatabase;
}

/**
 * Migrates a database to this version's schema, in one transaction. Each numbered file of sql/schema is applied once; other SQL files are
 * applied again if they have changed. Any number of processes may call this function concurrently. Throws if a newer version created the
 * schema.
 */
export async function migrate(
  pool: Pool,
  { timescale = 'auto', now = new Date() }: { timescale?: 'auto' | 'off'; now?: Date } = {},
): Promise<Migrated> {
  return waitForExclusiveLock(pool, ADVISORY_LOCKS.migration, async (client) => {
    // Raw SQL: migrations are SQL files.
    await assertSchemaNotNewer(client);
    const database = await detectCapabilities(pool, timescale);
    const { hypertables, continuousAggregates } = database.capabilities;
    const applied = await runInTransactionOnConnection(client, () =>
      applyAll(client, hypertables ? 'timescale' : 'postgres', {
        rollups: continuousAggregates ? 'timescale' : 'postgres',
      }),
    );
    const month = (offset: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1));
    await ensurePartitions(client, { from: month(-1), to: month(2) });
    return { applied, database };
  });
}

/** Error if a newer version created the schema. The message contains the remedy. */
class NewerSchema extends Error {
  override name = 'NewerSchema';
}

/** Throws NewerSchema if the database has a migration that this version lacks. */
export async function assertSchemaNotNewer(client: Pick<PoolClient, 'query'>): Promise<void> {
  const { unknown } = await readSchemaState(client);
  if (unknown.length === 0) return;
  throw new NewerSchema(
    `A newer version of the service created this database: this version (${VERSION}) lacks ${unknown.join(', ')}. Nothing ` +
      'was changed. Run that version again, or a later one. To go back, restore the copy that was made before the upgrade.',
  );
}

/** Returns the names of this version's migrations in order. */
export const listMigrations = (): Promise<string[]> => sqlFiles('schema');

/** Returns the migrations that the database lacks, and those that this version lacks. */
export async function readSchemaState(
  client: Pick<PoolClient, 'query'>,
): Promise<{ isMade: boolean; pending: string[]; unknown: string[] }> {
  const known = await sqlFiles('schema');
  const { rows: made } = await client.query(`SELECT to_regclass('schema_migrations') IS NOT NULL AS "isMade"`);
  if (!made[0]?.isMade) return { isMade: false, pending: known, unknown: [] };
  const { rows } = await client.query(`SELECT name FROM schema_migrations WHERE name LIKE 'schema/%' ORDER BY 1`);
  const applied: string[] = rows.map(({ name }) => name);
  return {
    isMade: true,
    pending: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  };
}

async function applyAll(client: PoolClient, storage: string, { rollups }: { rollups: string }): Promise<string[]> {
  await client.query(
    `CREATE TABLE IF NOT EXISTS schema_migrations (
       name text PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
     COMMENT ON TABLE schema_migrations IS 'Which files of sql/ this database has, and in which version.'`,
  );
  const { rows } = await client.query('SELECT name, sha256 FROM schema_migrations');
  const known = new Map<string, string>(rows.map((row) => [row.name, row.sha256]));
  const applied: string[] = [];
  for (const name of await sqlFiles('schema')) {
    if (!known.has(name)) applied.push(await apply(client, name));
  }
  // A migration may drop objects that the other files create, so these are applied again.
  const hasMigrated = applied.length > 0;
  const again = [
    ...(await sqlFiles('interface')),
    ...(await sqlFiles('storage/common', `storage/${storage}`)),
    ...(await sqlFiles(...['rollups', 'rollups/by-hand'].flatMap((at) => [`${at}/common`, `${at}/${rollups}`]))),
  ];
  for (const name of again) {
    const sha256 = createHash('sha256')
      .update(await readFile(SQL + name))
      .digest('hex');
    if (hasMigrated || known.get(name) !== sha256) applied.push(await apply(client, name));
  }
  return applied;
}

async function sqlFiles(...folders: string[]): Promise<string[]> {
  const lists = await Promise.all(
    folders.map(async (folder) => (await readdir(SQL + folder)).map((name) => `${folder}/${name}`)),
  );
  return lists
    .flat()
    .filter((name) => name.endsWith('.sql'))
    .sort((a, b) => (basename(a) < basename(b) ? -1 : 1));
}

async function apply(client: PoolClient, name: string): Promise<string> {
  const text = await readFile(SQL + name, 'utf8');
  const sha256 = createHash('sha256').update(text).digest('hex');
  try {
    await client.query(text);
    await client.query(
      `INSERT INTO schema_migrations (name, sha256) VALUES ($1, $2)
       ON CONFLICT (name) DO UPDATE SET sha256 = excluded.sha256, applied_at = now()`,
      [name, sha256],
    );
  } catch (error) {
    throw new Error(`sql/${name}: ${(error as Error).message}`, { cause: error });
  }
  return name;
}

/**
 * Creates the monthly partitions (such as `readings_2026_11`) for a time range, if the database does not create them itself. Returns their
 * names.
 */
export async function ensurePartitions(db: Pool | PoolClient, range: { from: Date; to: Date }): Promise<string[]> {
  // Raw SQL: calls a function of the schema.
  const { rows } = await db.query('SELECT make_room($1, $2) AS made', [range.from, range.to]);
  return rows[0].made;
}

type Queried = Pick<Pool, 'query'>;

/** Data older than this number of days are compressed, because readings of this age rarely arrive. */
const LATE_WINDOW_DAYS = 7;

/**
 * Returns the start of the retention period in Unix ms: the same day `retentionMonths` months ago, or the last day of that month if it is
 * shorter. Older readings are rejected.
 */
export function getRetentionStartMs(nowMs: number, retentionMonths: number): number {
  return DateTime.fromMillis(nowMs, { zone: 'utc' }).minus({ months: retentionMonths }).toMillis();
}

/**
 * Drops partitions that contain only readings older than the retention period by at least a day. Returns the names of the partitions.
 */
export async function dropExpiredReadings(pool: Queried, now: Date, retentionMonths: number): Promise<string[]> {
  const before = new Date(getRetentionStartMs(now.getTime(), retentionMonths) - DAY_MS);
  // Raw SQL: calls a function of the schema.
  const { rows } = await pool.query('SELECT drop_readings($1) AS dropped', [before]);
  return rows[0].dropped;
}

/** Compresses old data, if the database supports it, in small transactions. If `signal` aborts, no further transaction begins. */
export async function compressOldChunks(
  pool: Queried,
  now: Date,
  before: Date = new Date(now.getTime() - LATE_WINDOW_DAYS * DAY_MS),
  signal?: AbortSignal,
): Promise<{ compressed: string[]; nextChunks: string | null }> {
  const { rows } = await pool.query('SELECT history_to_compress($1) AS pieces', [before]);
  const compressed: string[] = [];
  for (const piece of rows[0].pieces) {
    if (signal?.aborted) break;
    await pool.query('SELECT compress_piece($1)', [piece]);
    compressed.push(piece);
  }
  const { rows: layout } = await pool.query('SELECT adapt_layout() AS chosen');
  return { compressed, nextChunks: layout[0].chosen };
}
