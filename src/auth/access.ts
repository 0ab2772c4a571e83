import { AppError } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import type { Reach } from '#src/database/reach.ts';
import { findUser, type User } from '#src/users/store.ts';
import type { Caller } from './authenticate.ts';
import { SCOPES_FOR_HOMEOWNERS, type Scope } from './scopes.ts';

/** Whom a caller reaches, by its role: the one place that decides it. */
export function reachOf(caller: Caller): Reach {
  if (caller.role === 'admin') return { all: true };
  if (caller.role === 'utility') return { enrolledBy: caller.userId };
  return { only: caller.userId };
}

/**
 * The account that a request is about: the caller's where it names none. A homeowner that names any other is refused
 * (403) before anything is looked up; whoever else is out of reach does not exist (404).
 */
export async function reachUser(db: Database, caller: Caller, named: string | undefined): Promise<User> {
  const userId = named ?? caller.userId;
  if (caller.role === 'homeowner' && userId !== caller.userId) throw new AppError('forbidden');
  const user = await findUser(db, reachOf(caller), holdable(userId));
  if (!user) throw new AppError('notFound');
  return user;
}

/**
 * The same for what only reads: the identifier alone. Whoever asks of itself is there, or was a moment ago (its key is
 * remembered for some seconds), and what is gone reads as nothing: that spares a question of each request.
 */
export async function reachUserId(db: Database, caller: Caller, named: string | undefined): Promise<string> {
  if (named === undefined || named === caller.userId) return caller.userId;
  return (await reachUser(db, caller, named)).user_id;
}

/** The same with the zone that is asked for: a name, or `account` for the account's own. */
export async function reachWithZone(
  db: Database,
  caller: Caller,
  named: string | undefined,
  zone: string,
): Promise<{ userId: string; zone: string }> {
  if (zone !== 'account') return { userId: await reachUserId(db, caller, named), zone };
  const { user_id, timezone } = await reachUser(db, caller, named);
  return { userId: user_id, zone: timezone };
}

/**
 * 403 where a caller may make no such key for the account: none may do more than its own, and a utility's for its homeowners
 * only reads.
 */
export function checkGrant({ role, userId, scopes }: Caller, ownerId: string, wanted: readonly Scope[]): void {
  if (wanted.some((scope) => !scopes.has(scope))) throw new AppError('keyScopes');
  const isForHomeowner = role === 'utility' && ownerId !== userId;
  if (isForHomeowner && wanted.some((scope) => !SCOPES_FOR_HOMEOWNERS.includes(scope)))
    throw new AppError('homeownersKeyScopes');
}

/** The database cannot hold NUL, so nothing has such an id: 404. */
export function holdable(id: string): string {
  if (id.includes('\0')) throw new AppError('notFound');
  return id;
}
