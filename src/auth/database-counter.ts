import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import { ADDRESS, type Counted, type CountTogether, countInBatches, type Limits } from './request-counter.ts';

/** A database that was moved away from takes no more writes (SQLSTATE 25006), and goes on answering reads. */
const CLOSED = '25006';

/** Counters in the database. `plans`: limits by plan (and of `address`, for tests). */
export const databaseCounter = (db: Database, plans: Record<string, Limits>, clock: () => Date) =>
  countInBatches(countInDatabase(db, plans, clock));

export function countInDatabase(db: Database, plans: Record<string, Limits>, clock: () => Date): CountTogether {
  const limits = JSON.stringify({ address: ADDRESS, ...plans });
  return async (keys, counts) => {
    try {
      // Raw SQL: the hot path of every request: one function of the schema.
      const { rows } = await sql<Counted>`
        SELECT * FROM take_requests(${keys}::text[], ${counts}::integer[], ${limits}::jsonb, ${clock()})`.execute(db);
      return rows;
    } catch (error) {
      if ((error as { code?: string }).code === CLOSED) return null;
      throw error;
    }
  };
}
