import { sql } from 'kysely';
import { AppError } from '#src/core/errors.ts';
import { newId } from '#src/core/ids.ts';
import { type Database, queryOf } from '#src/database/connect.ts';
import { accountsWithin, type Reach, within } from '#src/database/reach.ts';
import { together } from '#src/database/transaction.ts';
import { addEvents } from '#src/events/outbox.ts';

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

/** What of an account can be changed. */
export type UserPatch = Partial<Pick<User, 'email' | 'phone' | 'role' | 'timezone' | 'plan'>>;

const COLUMNS = ['user_id', 'email', 'role', 'created_at', 'phone', 'timezone', 'plan'] as const;
const UNIQUE_VIOLATION = '23505';

/** Creates an account and its event. `enrolledBy`: the utility that may then see it. 409 where the e-mail is taken, in any case. */
export async function createUser(
  db: Database,
  user: { email: string; role: Role; phone?: string; timezone?: string; plan?: Plan; enrolledBy?: string },
): Promise<User> {
  const { enrolledBy, ...values } = user;
  return emailTaken(
    together(db, async (trx) => {
      const row = await trx
        .insertInto('users')
        .values({ ...values, user_id: newId('usr'), enrolled_by: enrolledBy ?? null })
        .returning(COLUMNS)
        .executeTakeFirstOrThrow();
      const created = shown(row);
      const event = { type: 'user.created' as const, userId: created.user_id, data: { ...created } };
      await addEvents(queryOf(trx), [event], new Date());
      return created;
    }),
  );
}

/** One account within the reach; null where it does not exist or lies beyond it. */
export async function findUser(db: Database, reach: Reach, userId: string): Promise<User | null> {
  const row = await db
    .selectFrom('users')
    .select(COLUMNS)
    .where('user_id', '=', userId)
    .where(within(reach, 'users.user_id'))
    .executeTakeFirst();
  return row ? shown(row) : null;
}

/** Accounts within the reach whose e-mail has `search` in it, in any case; in order of their ids, after `cursor`; at most `limit`. */
export async function listUsers(
  db: Database,
  reach: Reach,
  page: { search: string; limit: number; cursor?: string },
): Promise<User[]> {
  const { search, cursor = '', limit } = page;
  const rows = await db
    .selectFrom('users')
    .select(COLUMNS)
    .where(accountsWithin(reach))
    // Not LIKE: nothing that a person types is a wildcard.
    .where(sql<boolean>`strpos(lower(users.email), lower(${search})) > 0`)
    .where('user_id', '>', cursor)
    .orderBy('user_id')
    .limit(limit)
    .execute();
  return rows.map(shown);
}

/** Changes an account within the reach. Null where there is none; 409 where the e-mail is another's. */
export async function updateUser(db: Database, reach: Reach, userId: string, patch: UserPatch): Promise<User | null> {
  if (Object.keys(patch).length === 0) return findUser(db, reach, userId);
  const row = await emailTaken(
    together(db, async (trx) => {
      const changed = await trx
        .updateTable('users')
        .set(patch)
        .where('user_id', '=', userId)
        .where(within(reach, 'users.user_id'))
        .returning(COLUMNS)
        .executeTakeFirst();
      // What was mailed to the old address opens nothing any more.
      if (changed && patch.email !== undefined)
        await trx.deleteFrom('sign_ins').where('user_id', '=', userId).execute();
      return changed;
    }),
  );
  return row ? shown(row) : null;
}

async function emailTaken<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if ((error as { code?: string }).code === UNIQUE_VIOLATION) throw new AppError('emailInUse');
    throw error;
  }
}

const shown = (row: Omit<User, 'created_at'> & { created_at: Date }): User => ({
  ...row,
  created_at: row.created_at.toISOString(),
});
