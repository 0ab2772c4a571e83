import { join } from 'node:path';
import { encodeBigints, encodeTimestamps } from '#ingest/write/statement.ts';
import type { Pool } from '#src/database/connect.ts';
import { readPostgresCpuMs } from './cpu.ts';

/** Cost of storing a row: PostgreSQL's CPU time in µs, and bytes of its write-ahead log. */
export interface StorageCost {
  cpuUs: number;
  walBytes: number;
}

const BATCH = 2_500;

/** Returns the number of bytes that the server has written to its write-ahead log so far. */
export const readWalBytes = async (pool: Pool): Promise<number> =>
  (await pool.query(`SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS bytes`)).rows[0].bytes;

/**
 * Measures PostgreSQL's minimum cost of storing a reading: one transaction per batch of rows, into a table with the columns and the key of
 * `readings`, without checks, device states or aggregates.
 */
export async function measureMinimumStorageCost(
  { pool, dataDir }: { pool: Pool; dataDir: string },
  { rows, devices }: { rows: number; devices: number },
): Promise<StorageCost> {
  await pool.query('DROP TABLE IF EXISTS bench_floor; CREATE TABLE bench_floor (LIKE readings INCLUDING INDEXES)');
  const fromMs = Date.now();
  const cpuMs = () => readPostgresCpuMs(join(dataDir, 'postgres'));
  const [cpuFrom, logFrom] = [cpuMs(), await readWalBytes(pool)];
  for (let first = 0; first < rows; first += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, rows - first) }, (_, index) => first + index);
    await pool.query({
      name: 'bench-floor',
      text: `INSERT INTO bench_floor (series_id, read_at, interval_ms, value)
               SELECT unnest($1::bigint[]), unnest($2::timestamptz[]), unnest($3::bigint[]), unnest($4::bigint[])`,
      values: [
        encodeBigints(numbers.map((number) => number % devices)),
        encodeTimestamps(numbers.map((number) => fromMs + Math.floor(number / devices) * 1_000)),
        encodeBigints(numbers.map(() => 0)),
        encodeBigints(numbers),
      ],
    });
  }
  const cost = { cpuUs: ((cpuMs() - cpuFrom) * 1_000) / rows, walBytes: ((await readWalBytes(pool)) - logFrom) / rows };
  await pool.query('DROP TABLE bench_floor');
  return cost;
}
