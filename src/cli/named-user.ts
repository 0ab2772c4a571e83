import { findAccountOfEmail } from '#src/auth/sign-ins.ts';
import type { Database } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { findUser } from '#src/users/store.ts';

/** Returns the id of a user who is given by id or e-mail address. Throws if there is no such user. */
export async function findUserId(db: Database, name: string): Promise<string> {
  const user = await (name.includes('@') ? findAccountOfEmail(db, name) : findUser(db, ALL_ACCOUNTS, name));
  if (!user) throw new Error(`There is no user ${name}`);
  return user.user_id;
}

/** Returns a user's id like findUserId, but without a look-up if an id is given, because that user may have been deleted. */
export const resolveUserId = async (db: Database, name: string): Promise<string> =>
  name.includes('@') ? findUserId(db, name) : name;
