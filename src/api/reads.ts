import type { Database } from '#src/database/connect.ts';
import { isTransactionReplayed, type Standby, type StandbyState } from '#src/database/standby.ts';
import { findLatestTransactionIds } from '#src/users/audit.ts';

/** Age of the data in ms above which a response contains the header `Age` (RFC 9111, section 5.1). */
const TOLD_FROM_MS = 5_000;

/** Chooses, for each request that reads, between the primary database server and its standby. */
export interface ReadDatabaseRouter {
  /**
   * Returns the standby, with the age of its data. Returns the primary if the standby is unavailable, or does not contain the
   * account's own changes yet.
   */
  from(userId: string): Promise<{ db: Database; ageSeconds: number | null }>;
  /**
   * Returns the standby if it is available, otherwise the primary. For data that need not contain the client's own latest
   * changes.
   */
  newest(): Database;
  /** Must be called if reading from the standby has failed. */
  failed(): void;
}

/**
 * Creates the router between primary and standby. A request reads from the standby if the standby has replayed the account's latest
 * changes, that is, the transactions in the account's latest audit entries. Otherwise it reads from the primary.
 */
export function createReadDatabaseRouter(db: Database, readDb: Database, standby: Standby): ReadDatabaseRouter {
  return {
    failed: standby.failed,
    newest: () => (standby.state() === null ? db : readDb),
    async from(userId) {
      const state = standby.state();
      const isOnStandby =
        state !== null && hasStandbyReplayedTransactions(state, await findLatestTransactionIds(db, userId));
      return isOnStandby ? { db: readDb, ageSeconds: getAgeHeaderSeconds(state) } : { db, ageSeconds: null };
    },
  };
}

/** Whether the standby has replayed all of the given transactions. */
export const hasStandbyReplayedTransactions = ({ horizon }: StandbyState, transactions: readonly number[]): boolean =>
  transactions.every((number) => isTransactionReplayed(number, horizon));

/** Returns the age of the data in seconds for the header `Age`; null for recent data. */
export const getAgeHeaderSeconds = ({ ageMs }: StandbyState): number | null =>
  ageMs > TOLD_FROM_MS ? Math.floor(ageMs / 1_000) : null;
