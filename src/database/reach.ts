import { type RawBuilder, sql } from 'kysely';

/**
 * Which accounts a caller reaches: itself, those that it enrolled, or all. Made in auth/access.ts from a caller. Stores that
 * find, list, change or delete what belongs to an account take one, so that such a call without it does not type-check.
 * Others take the id of an account or a device that was found within a reach before (`reachUserId`, `findDevice`): those that
 * create, erasure, those of `energy`, and lists of what is the caller's own.
 */
export type Reach = { only: string } | { enrolledBy: string } | { all: true };

/** For operators at the command line and for the service itself. */
export const EVERYBODY: Reach = { all: true };

/** Condition that the account in a column lies within the reach; a utility reaches itself and its homeowners. */
export function within(reach: Reach, column: string): RawBuilder<boolean> {
  const account = sql.ref(column);
  if ('all' in reach) return sql<boolean>`true`;
  if ('only' in reach) return sql<boolean>`${account} = ${reach.only}`;
  return sql<boolean>`(${account} = ${reach.enrolledBy} OR EXISTS (
    SELECT FROM users enrolled WHERE enrolled.user_id = ${account}
      AND enrolled.enrolled_by = ${reach.enrolledBy} AND enrolled.role = 'homeowner'))`;
}

/** The same of the rows of `users` themselves: each is found by an index, however many accounts there are. */
export function accountsWithin(reach: Reach): RawBuilder<boolean> {
  if (!('enrolledBy' in reach)) return within(reach, 'users.user_id');
  return sql<boolean>`(users.user_id = ${reach.enrolledBy}
    OR users.enrolled_by = ${reach.enrolledBy} AND users.role = 'homeowner')`;
}
