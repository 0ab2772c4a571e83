import { createDeltaStatements } from '#ingest/write/deltas.ts';
import { ensurePartitions } from '#src/database/migrate.ts';
import { inTransaction } from '#src/database/transaction.ts';
import { MEASURE_NAMES, type Measure, type MeasureSums } from '#src/rollups/levels.ts';
import type { TestDatabase } from './database.ts';

/** A change of a quarter-hour's measures (energies, coverage, number of readings). Omitted measures do not change. */
export type ProfileDifference = { deviceId: string; userId: string; startsAtMs: number } & Partial<
  Record<Measure, number>
>;

/** Measures of a quarter-hour for which data is complete. */
export const FULLY_KNOWN_QUARTER_HOUR = { readingCount: 1, coveredMs: 900_000 };

const NOTHING = Object.fromEntries(MEASURE_NAMES.map((name) => [name, 0])) as MeasureSums;

/** Converts differences to the rows of ingest's SQL statement, which needs all measures. */
export const toDeltaStatementRows = (rows: readonly ProfileDifference[]) =>
  rows.map((row) => ({ ...NOTHING, ...row }) as typeof row & MeasureSums);

/** Adds differences to the load profile and to all aggregates of it, as ingest does. */
export async function addToProfile(database: TestDatabase, rows: readonly ProfileDifference[]): Promise<void> {
  const times = rows.map(({ startsAtMs }) => startsAtMs);
  await ensurePartitions(database.pool, { from: new Date(Math.min(...times)), to: new Date(Math.max(...times)) });
  await inTransaction(database.pool, async (client) => {
    for (const step of createDeltaStatements(toDeltaStatementRows(rows))) await step(client);
  });
}
