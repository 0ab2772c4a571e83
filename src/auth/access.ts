import { forbidden, notFound } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import { findUser, type User, type UserScope } from '#src/users/store.ts';
import type { Caller } from './authenticate.ts';

/** The users that a caller reaches, by its role. */
export function scopeOf(caller: Caller): UserScope {
  if (caller.role === 'admin') return { all: true };
  if (caller.role === 'utility') return { enrolledBy: caller.userId };
  return { only: caller.userId };
}

/**
 * The user that a request is about: the caller where it names none. A homeowner that names any other user is refused
 * (403) before anything is looked up; whoever else is out of reach does not exist (404).
 */
export async function reachUser(db: Database, caller: Caller, named: string | undefined): Promise<User> {
  const userId = named ?? caller.userId;
  if (caller.role === 'homeowner' && userId !== caller.userId) throw forbidden();
  // The database cannot hold NUL, so nobody has such an id.
  if (userId.includes('\0')) throw notFound();
  const user = await findUser(db, scopeOf(caller), userId);
  if (!user) throw notFound();
  return user;
}
