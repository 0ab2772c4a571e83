import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Tables } from './tables.ts';

export type { Pool, PoolClient } from 'pg';
export type Database = Kysely<Tables>;

const INT8 = 20;
const NUMERIC = 1700;

/** bigint columns as numbers. Beyond 2^53 they would be wrong silently, so that is an error instead. */
function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is beyond the safe integers`);
  return value;
}

/** Pool of connections to a PostgreSQL server; sessions speak UTC. */
export function createPool(url: string, options: { max?: number; applicationName?: string } = {}): pg.Pool {
  const types = new pg.TypeOverrides();
  types.setTypeParser(INT8, parseInt8);
  types.setTypeParser(NUMERIC, Number);
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 10,
    application_name: options.applicationName ?? 'energy',
    connectionTimeoutMillis: 5_000,
    options: '-c timezone=UTC',
    types,
  });
  // An idle connection that the server closes must not end the process; the next query reports what matters.
  pool.on('error', () => {});
  return pool;
}

/** Typed queries over a pool. */
export function createDb(pool: pg.Pool): Database {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}
