import type { Database } from '#src/database/connect.ts';
import { isTransactionReplayed, type Standby, type StandbyState } from '#src/database/standby.ts';
import { findLatestActions } from '#src/users/audit.ts';

/** Minimum age of the data, in ms, from which a response contains the header `Age` (RFC 9111, section 5.1). */
const TOLD_FROM_MS = 5_000;

/** Chooses the database from which an account's request reads. */
export interface ReadDatabaseRouter {
  /** Returns the standby. Returns the primary if the standby is unavailable or does not contain the account's own changes yet. */
  from(userId: string): Promise<{ db: Database; ageSeconds: number | null }>;
  /**
   * Returns the database for data that are pushed to clients: the standby or, if it is unavailable, the primary. Pushed data need not
   * contain the client's own latest changes.
   */
  newest(): Database;
  /** Reports that a read from the standby failed. */
  failed(): void;
}

/**
 * Creates the router that chooses between primary and standby. Reads use the standby, except that an account which has just changed
 * something reads from the primary. The audit log on the primary contains each change with its transaction id, from all processes. Each
 * read queries the log (one look-up in an index) and compares the ids with the transactions that the standby has replayed.
 */
export function createReadDatabaseRouter(db: Database, readDb: Database, standby: Standby): ReadDatabaseRouter {
  return {
    failed: standby.failed,
    newest: () => (standby.state() === null ? db : readDb),
    async from(userId) {
      const state = standby.state();
      const isOnStandby = state !== null && hasReplayedTransactions(state, await findLatestActions(db, userId));
      return isOnStandby ? { db: readDb, ageSeconds: getReportedAgeSeconds(state) } : { db, ageSeconds: null };
    },
  };
}

/** Whether the standby has replayed all of an account's transactions. Pure. */
export const hasReplayedTransactions = ({ horizon }: StandbyState, transactions: readonly number[]): boolean =>
  transactions.every((number) => isTransactionReplayed(number, horizon));

/** Returns the age of the data in seconds for the header `Age`. Null if the data are too recent for the header. Pure. */
export const getReportedAgeSeconds = ({ ageMs }: StandbyState): number | null =>
  ageMs > TOLD_FROM_MS ? Math.floor(ageMs / 1_000) : null;
