import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Pool, PoolClient } from './connect.ts';
import { ensurePartitions } from './partitions.ts';

const SQL = fileURLToPath(new URL('../../sql/', import.meta.url));
/** Key of the advisory lock that lets one process migrate at a time. */
const LOCK = 7_241_000;

/**
 * Brings a database to this version's schema: numbered files of sql/schema once each and in order, files of sql/rollups
 * again whenever they changed, and the partitions of the months around now. Safe to call from any number of processes.
 * Returns the names of the files that were applied.
 */
export async function migrate(pool: Pool, now: Date = new Date()): Promise<string[]> {
  const client = await pool.connect();
  const applied: string[] = [];
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    await client.query(
      `CREATE TABLE IF NOT EXISTS schema_migrations (
         name text PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
       COMMENT ON TABLE schema_migrations IS 'Which files of sql/ this database has, and in which version.'`,
    );
    const { rows } = await client.query('SELECT name, sha256 FROM schema_migrations');
    const known = new Map<string, string>(rows.map((row) => [row.name, row.sha256]));
    for (const name of await sqlFiles('schema')) {
      if (!known.has(name)) applied.push(await apply(client, name));
    }
    for (const name of await sqlFiles('rollups/postgres')) {
      const sha256 = createHash('sha256')
        .update(await readFile(SQL + name))
        .digest('hex');
      if (known.get(name) !== sha256) applied.push(await apply(client, name));
    }
    const month = (offset: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1));
    await ensurePartitions(client, { from: month(-1), to: month(2) });
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [LOCK]).catch(() => {});
    client.release();
  }
  return applied;
}

async function sqlFiles(folder: string): Promise<string[]> {
  const names = await readdir(SQL + folder);
  return names
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => `${folder}/${name}`);
}

async function apply(client: PoolClient, name: string): Promise<string> {
  const text = await readFile(SQL + name, 'utf8');
  const sha256 = createHash('sha256').update(text).digest('hex');
  await client.query('BEGIN');
  try {
    await client.query(text);
    await client.query(
      `INSERT INTO schema_migrations (name, sha256) VALUES ($1, $2)
       ON CONFLICT (name) DO UPDATE SET sha256 = excluded.sha256, applied_at = now()`,
      [name, sha256],
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw new Error(`sql/${name}: ${(error as Error).message}`, { cause: error });
  }
  return name;
}
