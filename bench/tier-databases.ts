import { randomBytes } from 'node:crypto';
import { DATABASE_TIERS, type DatabaseTier, type DetectedDatabase } from '#src/database/capabilities.ts';
import { createPool, type Pool } from '#src/database/connect.ts';
import { migrate } from '#src/database/migrate.ts';
import { findAvailableTiers } from '../test/support/tiers/available-tiers.ts';
import { TIER_SERVER_STARTERS } from '../test/support/tiers/tiers.ts';

/** A migrated database on a tier's server. */
export interface TierDatabase {
  pool: Pool;
  found: DetectedDatabase;
  drop(): Promise<void>;
}

/** Settings of the test servers, the same for both sides of every comparison. */
const FAIR = { max_wal_size: '8GB', work_mem: '64MB', maintenance_work_mem: '512MB' };

const MODES = ['off', 'auto'] as const;

/**
 * Runs a benchmark on every database tier (kind of database server) on this machine. On each server, it also runs without TimescaleDB
 * (unless `alsoPlain` is false); the ratio of the results shows the effect of the tier. `missing`: tiers without a server.
 */
export async function runOnEveryTier<T>(
  question: (database: TierDatabase, name: string) => Promise<T>,
  { alsoPlain = true }: { alsoPlain?: boolean } = {},
): Promise<{ results: { name: string; tier: DatabaseTier; on: string; answer: T }[]; missing: string[] }> {
  const { reached, missing } = findAvailableTiers();
  const results: { name: string; tier: DatabaseTier; on: string; answer: T }[] = [];
  for (const tier of reached) {
    const server = await TIER_SERVER_STARTERS[tier]();
    try {
      for (const timescale of tier === 'plain' || alsoPlain
        ? MODES.slice(0, tier === 'plain' ? 1 : 2)
        : MODES.slice(1)) {
        const name = timescale === 'off' ? 'plain' : tier;
        process.stderr.write(`${name} on the ${tier} server …\n`);
        const database = await makeDatabase(server.urlOf, timescale);
        const on = /PostgreSQL [\d.]+/.exec(database.found.line)?.[0] ?? '';
        try {
          results.push({ name, tier: database.found.tier, on, answer: await question(database, name) });
        } finally {
          await database.drop();
        }
      }
    } finally {
      await server.stop();
    }
  }
  return { results, missing: missing.map(({ tier, how }) => `NOT RUN: ${tier.toUpperCase()}. To run it: ${how}.`) };
}

async function makeDatabase(urlOf: (name: string) => string, timescale: 'auto' | 'off'): Promise<TierDatabase> {
  const name = `bench_${randomBytes(4).toString('hex')}`;
  const admin = createPool(urlOf('postgres'), { max: 1 });
  await admin.query(`CREATE DATABASE ${name}`);
  for (const [setting, value] of Object.entries(FAIR).filter(([setting]) => setting !== 'max_wal_size')) {
    await admin.query(`ALTER DATABASE ${name} SET ${setting} = '${value}'`);
  }
  await admin.query(`ALTER SYSTEM SET max_wal_size = '${FAIR.max_wal_size}'`);
  await admin.query('SELECT pg_reload_conf()');
  const pool = createPool(urlOf(name));
  const { database: found } = await migrate(pool, { timescale });
  if (timescale === 'off' && found.capabilities !== DATABASE_TIERS.plain)
    throw new Error('TIMESCALE=off was not plain');
  return {
    pool,
    found,
    async drop() {
      await pool.end();
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}

/** Returns the size on disk of the readings and their indexes, in bytes, including all chunks or partitions. */
export async function measureReadingsSizeBytes({ pool, found }: TierDatabase): Promise<number> {
  const { rows } = await pool.query(
    found.capabilities.hypertables
      ? `SELECT hypertable_size('readings') AS bytes`
      : `SELECT sum(pg_total_relation_size(inhrelid))::bigint AS bytes FROM pg_inherits WHERE inhparent = 'readings'::regclass`,
  );
  return rows[0].bytes;
}
