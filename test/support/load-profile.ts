import { applyDeltas } from '#ingest/write/deltas.ts';
import { ensurePartitions } from '#src/database/migrate.ts';
import { inTransaction } from '#src/database/transaction.ts';
import { MEASURE_NAMES, type Measure, type Sums } from '#src/rollups/levels.ts';
import type { TestDatabase } from './database.ts';

/** A difference to a quarter-hour; what is not named is 0. */
export type Difference = { deviceId: string; userId: string; startsAtMs: number } & Partial<Record<Measure, number>>;

/** A quarter-hour of which everything is known. */
export const KNOWN = { readingCount: 1, coveredMs: 900_000 };

const NOTHING = Object.fromEntries(MEASURE_NAMES.map((name) => [name, 0])) as Sums;

/** Differences as ingest's statement takes them. */
export const whole = (rows: readonly Difference[]) => rows.map((row) => ({ ...NOTHING, ...row }) as typeof row & Sums);

/** Adds to the load profile and to every aggregate above it, as ingest does. */
export async function addToProfile(database: TestDatabase, rows: readonly Difference[]): Promise<void> {
  const times = rows.map(({ startsAtMs }) => startsAtMs);
  await ensurePartitions(database.pool, { from: new Date(Math.min(...times)), to: new Date(Math.max(...times)) });
  await inTransaction(database.pool, async (client) => {
    for (const step of applyDeltas(whole(rows))) await step(client);
  });
}
