import { accountOf } from '#src/auth/sign-ins.ts';
import type { Database } from '#src/database/connect.ts';
import { EVERYBODY } from '#src/database/reach.ts';
import { findUser } from '#src/users/store.ts';

/** Returns the id of a user who is given by id or e-mail address. Throws if there is no such user. */
export async function userNamed(db: Database, name: string): Promise<string> {
  const user = await (name.includes('@') ? accountOf(db, name) : findUser(db, EVERYBODY, name));
  if (!user) throw new Error(`There is no user ${name}`);
  return user.user_id;
}

/** Returns a user's id like userNamed, but accepts any id unchecked, because the user may have been deleted. */
export const idNamed = async (db: Database, name: string): Promise<string> =>
  name.includes('@') ? userNamed(db, name) : name;
