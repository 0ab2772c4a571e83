import { createDeltaStatements } from '#ingest/write/deltas.ts';
import { ensurePartitions } from '#src/database/migrate.ts';
import { runInTransaction } from '#src/database/transaction.ts';
import { MEASURE_NAMES, type Measure, type MeasureSums } from '#src/rollups/levels.ts';
import type { TestDatabase } from './database.ts';

/** A change of a quarter-hour's measures (energies, coverage, number of readings). */
export type LoadProfileChange = { deviceId: string; userId: string; startsAtMs: number } & Partial<
  Record<Measure, number>
>;

/** Measures of a quarter-hour for which data is complete. */
export const COMPLETE_QUARTER_HOUR_MEASURES = { readingCount: 1, coveredMs: 900_000 };

const NOTHING = Object.fromEntries(MEASURE_NAMES.map((name) => [name, 0])) as MeasureSums;

/** Converts changes of quarter-hours to the rows of ingest's SQL statement. */
export const convertToDeltaRows = (rows: readonly LoadProfileChange[]) =>
  rows.map((row) => ({ ...NOTHING, ...row }) as typeof row & MeasureSums);

/** Adds the changes to the load profile and to all its aggregates. */
export async function addToLoadProfile(database: TestDatabase, rows: readonly LoadProfileChange[]): Promise<void> {
  const times = rows.map(({ startsAtMs }) => startsAtMs);
  await ensurePartitions(database.pool, { from: new Date(Math.min(...times)), to: new Date(Math.max(...times)) });
  await runInTransaction(database.pool, async (client) => {
    for (const step of createDeltaStatements(convertToDeltaRows(rows))) await step(client);
  });
}
