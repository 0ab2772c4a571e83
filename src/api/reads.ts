import type { Database } from '#src/database/connect.ts';
import { isTransactionReplayed, type Standby, type StandbyState } from '#src/database/standby.ts';
import { findLatestActions } from '#src/users/audit.ts';

/** Age from which a response states its age (`Age`, RFC 9111, section 5.1). */
const TOLD_FROM_MS = 5_000;

/** Chooses the database from which an account's request reads. */
export interface ReadRouter {
  /** Returns the standby, or the primary if the standby is unavailable or lacks the account's own changes. */
  from(userId: string): Promise<{ db: Database; ageSeconds: number | null }>;
  /**
   * Returns the database for data that is pushed to clients: the standby or, if it is unavailable, the primary. Clients
   * do not wait for changes of their own there.
   */
  newest(): Database;
  /** Reports that a read from the standby failed. */
  failed(): void;
}

/**
 * Creates the choice of databases. Reads use the standby, except that an account which has just changed something reads
 * from the primary. The audit log on the primary contains each change with its transaction id, whichever process made
 * it. Each read queries that (one look-up in an index), and this process knows up to which transaction the standby has
 * replayed.
 */
export function createReadRouter(db: Database, readDb: Database, standby: Standby): ReadRouter {
  return {
    failed: standby.failed,
    newest: () => (standby.state() === null ? db : readDb),
    async from(userId) {
      const state = standby.state();
      const isOnStandby = state !== null && hasReplayedAll(state, await findLatestActions(db, userId));
      return isOnStandby ? { db: readDb, ageSeconds: reportedAgeSeconds(state) } : { db, ageSeconds: null };
    },
  };
}

/** Whether the standby has replayed all of an account's transactions. Pure. */
export const hasReplayedAll = ({ horizon }: StandbyState, transactions: readonly number[]): boolean =>
  transactions.every((number) => isTransactionReplayed(number, horizon));

/** Returns the age that a response reports, in seconds. Null if it reports none. Pure. */
export const reportedAgeSeconds = ({ ageMs }: StandbyState): number | null =>
  ageMs > TOLD_FROM_MS ? Math.floor(ageMs / 1_000) : null;
