import { accountOf } from '#src/auth/sign-ins.ts';
import type { Database } from '#src/database/connect.ts';
import { EVERYBODY } from '#src/database/reach.ts';
import { findUser } from '#src/users/store.ts';

/** The id of a user who is named by it, or by an e-mail address. Throws where there is none. */
export async function userNamed(db: Database, name: string): Promise<string> {
  const user = await (name.includes('@') ? accountOf(db, name) : findUser(db, EVERYBODY, name));
  if (!user) throw new Error(`There is no user ${name}`);
  return user.user_id;
}

/** The same of one who may be gone: an id is taken as it is. */
export const idNamed = async (db: Database, name: string): Promise<string> =>
  name.includes('@') ? userNamed(db, name) : name;
