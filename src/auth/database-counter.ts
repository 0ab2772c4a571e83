import { sql } from 'kysely';
import { createCachedStatement, type Database, PREPARED_STATEMENT_PREFIX_SQL } from '#src/database/connect.ts';
import { createBatchCounterWithStore, type RequestCounterStore } from './count-in-store.ts';
import {
  createBatchingRequestCounter,
  FAILED_ATTEMPT_LIMITS,
  type Limits,
  type RequestBatchCounter,
} from './request-counter.ts';
import { decodeCounters, encodeCounters, NO_REQUEST_LIMIT } from './request-windows.ts';

/** SQLSTATE of a write in a read-only transaction. A database becomes read-only when its data have moved to another database. */
const CLOSED = '25006';

/** Creates request counters that are stored in the database. `plans`: limits by plan and, in tests, limits of addresses (`address`). */
export const createDatabaseRequestCounter = (db: Database, plans: Record<string, Limits>, clock: () => Date) =>
  createBatchingRequestCounter(createDatabaseBatchCounter(db, plans, clock), (keys) =>
    findSuspendedAccounts(db, keys, clock()),
  );

/** Returns the accounts that are suspended, according to the counters in the database. */
export async function findSuspendedAccounts(db: Database, keys: readonly string[], now: Date): Promise<Set<string>> {
  const { rows } = await sql<{ counted: string }>`
    SELECT counted FROM request_counts WHERE counted = ANY (${keys}::text[]) AND suspended_until_ms > ${now.getTime()}`.execute(
    db,
  );
  return new Set(rows.map(({ counted }) => counted));
}

export function createDatabaseBatchCounter(
  db: Database,
  plans: Record<string, Limits>,
  clock: () => Date,
): RequestBatchCounter {
  const count = createBatchCounterWithStore({ address: FAILED_ATTEMPT_LIMITS, ...plans }, clock);
  const store = inDatabase(db);
  return async (keys, counts, weight) => {
    try {
      return await count(store, keys, counts, weight);
    } catch (error) {
      if ((error as { code?: string }).code === CLOSED) return null;
      throw error;
    }
  };
}

/** Time in ms after which a row of counters can be deleted: no window is longer than a UTC day. */
const KEPT_MS = 2 * 86_400_000;

/** Deletes counters whose windows have ended. */
export async function deleteOldRequestCounters(db: Database, now: Date): Promise<void> {
  // Raw SQL, here and in this file's other statements: the typed queries do not know the table `request_counts`.
  await sql`DELETE FROM request_counts
    WHERE greatest(minute_from_ms, day_from_ms, denied_from_ms, suspended_until_ms) < ${now.getTime() - KEPT_MS}`.execute(
    db,
  );
}

/**
 * Statement that counts requests. It is built only once, because nearly every request waits for it. Raw SQL: it calls a function
 * of the schema.
 */
const addCounts = createCachedStatement(
  (keys: string[], plans: (string | null)[], least: string[], most: string[], add: string[]) =>
    sql<{ counted: string; plan: string | null; counters: number[]; is_done: boolean }>`
      ${PREPARED_STATEMENT_PREFIX_SQL}SELECT * FROM add_request_counts(${keys}::text[], ${plans}::text[], ${least}::text[], ${most}::text[], ${add}::text[])`,
);

/** Returns the store of request counters in the table request_counts. */
const inDatabase = (db: Database): RequestCounterStore => ({
  async add(changes) {
    const array = (numbers: readonly number[]) => `{${numbers.join(',')}}`;
    const { rows } = await addCounts(
      db,
      changes.map(({ key }) => key),
      changes.map(({ plan }) => plan),
      changes.map(({ least }) => array(encodeCounters(least, -NO_REQUEST_LIMIT))),
      changes.map(({ most }) => array(encodeCounters(most, NO_REQUEST_LIMIT))),
      changes.map(({ add }) => array(encodeCounters(add, 0))),
    );
    const answers = new Map(rows.map((row) => [row.counted, row]));
    return changes.map(({ key }) => {
      const row = answers.get(key);
      if (!row) throw new Error(`add_request_counts has no answer for ${key}`);
      return { counters: decodeCounters(row.counters), plan: row.plan, isDone: row.is_done };
    });
  },
});
