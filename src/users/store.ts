import { conflict } from '#src/core/errors.ts';
import { newId } from '#src/core/ids.ts';
import type { Database } from '#src/database/connect.ts';

export type Role = 'homeowner' | 'utility' | 'admin';
export type Plan = 'free' | 'developer' | 'enterprise';

/** An account as the API shows it. */
export interface User {
  user_id: string;
  email: string;
  role: Role;
  created_at: string;
  phone: string | null;
  timezone: string;
  plan: Plan;
}

const UNIQUE_VIOLATION = '23505';

/** Creates an account. `enrolledBy`: the utility that may then see it. 409 where the e-mail is taken, in any case. */
export async function createUser(
  db: Database,
  user: { email: string; role: Role; phone?: string; timezone?: string; plan?: Plan; enrolledBy?: string },
): Promise<{ user_id: string }> {
  const { enrolledBy, ...values } = user;
  const user_id = newId('usr');
  try {
    await db
      .insertInto('users')
      .values({ ...values, user_id, enrolled_by: enrolledBy ?? null })
      .execute();
  } catch (error) {
    if ((error as { code?: string }).code === UNIQUE_VIOLATION) throw conflict('The e-mail address is already in use');
    throw error;
  }
  return { user_id };
}

/** The users that a caller reaches: itself, those that it enrolled, or all. */
export type UserScope = { only: string } | { enrolledBy: string } | { all: true };

/** One account within the scope; null where it does not exist or lies beyond it. */
export async function findUser(db: Database, scope: UserScope, userId: string): Promise<User | null> {
  let query = db
    .selectFrom('users')
    .select(['user_id', 'email', 'role', 'created_at', 'phone', 'timezone', 'plan'])
    .where('user_id', '=', userId);
  if ('only' in scope) query = query.where('user_id', '=', scope.only);
  if ('enrolledBy' in scope) {
    const { enrolledBy } = scope;
    query = query.where((where) =>
      where.or([
        where('user_id', '=', enrolledBy),
        where.and([where('enrolled_by', '=', enrolledBy), where('role', '=', 'homeowner')]),
      ]),
    );
  }
  const row = await query.executeTakeFirst();
  return row ? { ...row, created_at: row.created_at.toISOString() } : null;
}
