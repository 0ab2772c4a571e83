import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DateTime } from 'luxon';
import { DAY_MS } from '#src/core/units.ts';
import { VERSION } from '#src/core/version.ts';
import { ADVISORY_LOCKS } from './advisory-locks.ts';
import { askCapabilities, type Found } from './capabilities.ts';
import { type Pool, type PoolClient, type Query, queryOn } from './connect.ts';
import { afterExclusiveLock } from './exclusive-lock.ts';
import { transactionOn } from './transaction.ts';

const SQL = fileURLToPath(new URL('../../sql/', import.meta.url));

/** What migrating did, and what it found. */
interface Migrated {
  /** Names of the files that were applied. */
  applied: string[];
  database: Found;
}

/**
 * Brings a database to this version's schema: numbered files of sql/schema once each and in order, those of sql/storage
 * and sql/rollups for its tier whenever they changed or a numbered one was applied, and the partitions of the months around now. All of it in one
 * transaction, so that a database is never left half on one tier. Safe to call from any number of processes. Throws where a newer
 * version made the schema.
 */
export async function migrate(
  pool: Pool,
  { timescale = 'auto', now = new Date() }: { timescale?: 'auto' | 'off'; now?: Date } = {},
): Promise<Migrated> {
  return afterExclusiveLock(pool, ADVISORY_LOCKS.migration, async (client) => {
    // Raw SQL: migrations are SQL, and their table is there before the types are true.
    await refuseNewer(client);
    const database = await askCapabilities(pool, timescale);
    const { hypertables, continuousAggregates } = database.capabilities;
    const applied = await transactionOn(client, () =>
      applyAll(client, hypertables ? 'timescale' : 'postgres', {
        rollups: continuousAggregates ? 'timescale' : 'postgres',
      }),
    );
    const month = (offset: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1));
    await ensurePartitions(client, { from: month(-1), to: month(2) });
    return { applied, database };
  });
}

/** Throws, with what to do, where a newer version of the service made this database. */
export const refuseNewer = async (client: Pick<PoolClient, 'query'>): Promise<void> =>
  refuseNewerSchema(queryOn(client), await sqlFiles('schema'));

/** Numbered migrations that this database lacks, and those that this version does not know; it is only read. */
export async function schemaState(
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
  // What a migration drops is made anew, whether or not its file has changed.
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

/** The files of these folders together, in the order of their numbers. */
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

/** The schema was made by a newer version of the service; the message says what to do. */
class NewerSchema extends Error {
  override name = 'NewerSchema';
}

/**
 * Throws NewerSchema where a database has numbered migrations that this version does not know: what it would write and answer by
 * its own idea of the schema could be wrong. `known`: names of this version's, as `schema/0001_accounts.sql`. A database without a schema is no
 * newer one.
 */
async function refuseNewerSchema(query: Query, known: readonly string[]): Promise<void> {
  // Raw SQL: the migrations' own table, which may not be there.
  const { rows: made } = await query<{ isMade: boolean }>(
    `SELECT to_regclass('schema_migrations') IS NOT NULL AS "isMade"`,
    [],
  );
  if (!made[0]?.isMade) return;
  const { rows } = await query<{ name: string }>(
    `SELECT name FROM schema_migrations WHERE name LIKE 'schema/%' ORDER BY 1`,
    [],
  );
  const unknown = rows.map(({ name }) => name).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new NewerSchema(
    `A newer version of the service made this database: this one (${VERSION}) does not know its ${unknown.join(', ')}. Nothing ` +
      'was changed. Run that version again, or a later one. To go back, restore the copy that was made before the upgrade.',
  );
}

/**
 * Makes room for readings and load profile over `[from, to]` where the database does not do so by itself: monthly
 * partitions (`readings_2026_11`). Returns the names of those that it made.
 */
export async function ensurePartitions(db: Pool | PoolClient, range: { from: Date; to: Date }): Promise<string[]> {
  // Raw SQL: a function of the schema, which each tier has in its own way.
  const { rows } = await db.query('SELECT make_room($1, $2) AS made', [range.from, range.to]);
  return rows[0].made;
}

/** A pool, or the session that holds the lock of the upkeep. */
type Queried = Pick<Pool, 'query'>;

/** Readings rarely come later than this: older chunks are compressed. Late readings are still accepted. */
const LATE_WINDOW_DAYS = 7;

/**
 * Start of the retention in Unix ms: the same day and time so many calendar months before, or the last day of a month that
 * is too short for it, so that it never moves back. Older readings are refused.
 */
export function retentionStartMs(nowMs: number, retentionMonths: number): number {
  return DateTime.fromMillis(nowMs, { zone: 'utc' }).minus({ months: retentionMonths }).toMillis();
}

/**
 * Drops the readings before the retention, in whole partitions or chunks. A day later than they are refused, so that
 * no writer, whatever its clock says, adds to what is being dropped. Returns the names of what it dropped.
 */
export async function dropReadings(pool: Queried, now: Date, retentionMonths: number): Promise<string[]> {
  const before = new Date(retentionStartMs(now.getTime(), retentionMonths) - DAY_MS);
  // Raw SQL: functions of the schema, which each tier has in its own way.
  const { rows } = await pool.query('SELECT drop_readings($1) AS dropped', [before]);
  return rows[0].dropped;
}

/**
 * Compresses what lies before a time (by default what is older than the late-data window) and chooses the length of new
 * chunks, where the database can. A transaction a chunk: it is locked while it is compressed, and only it. `signal`: ends it
 * between two chunks.
 */
export async function compressHistory(
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
