import type { Database } from '#src/database/connect.ts';
import { isReplayed, type Standby, type StandbyState } from '#src/database/standby.ts';
import { lastActs } from '#src/users/audit.ts';

/** An answer that may be older than this says how old (`Age`, RFC 9111, section 5.1). */
const TOLD_FROM_MS = 5_000;

/** Where an account's request reads from. */
export interface Reads {
  /** The standby, or the primary's database where that must be or the standby is away. */
  from(userId: string): Promise<{ db: Database; ageSeconds: number | null }>;
  /** For what is told as it becomes known, and nobody waits for a change of his own in: the standby, or the primary where it is away. */
  newest(): Database;
  /** A read from it failed. */
  failed(): void;
}

/**
 * Reads from a standby what is in it, and from the primary what an account has just changed itself: whichever process took the
 * change, it is in the audit log, and the number of its transaction with it. That is asked of the primary (a probe of one index) for
 * each read; how far the standby has come is known to this process.
 */
export function readsOf(db: Database, readDb: Database, standby: Standby): Reads {
  return {
    failed: standby.failed,
    newest: () => (standby.state() === null ? db : readDb),
    async from(userId) {
      const state = standby.state();
      const isOnStandby = state !== null && seesAll(state, await lastActs(db, userId));
      return isOnStandby ? { db: readDb, ageSeconds: toldAge(state) } : { db, ageSeconds: null };
    },
  };
}

/** Whether the standby has all that an account did. Pure. */
export const seesAll = ({ horizon }: StandbyState, transactions: readonly number[]): boolean =>
  transactions.every((number) => isReplayed(number, horizon));

/** Seconds that an answer says; null where it says nothing. Pure. */
export const toldAge = ({ ageMs }: StandbyState): number | null =>
  ageMs > TOLD_FROM_MS ? Math.floor(ageMs / 1_000) : null;
