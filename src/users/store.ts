import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import { AppError } from '#src/core/errors.ts';
import { newId } from '#src/core/ids.ts';
import { DAY_MS } from '#src/core/units.ts';
import { type Database, queryOf } from '#src/database/connect.ts';
import { accountsWithin, type Reach, within } from '#src/database/reach.ts';
import type { Tables } from '#src/database/tables.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { addEvents, takeBackDeliveries } from '#src/events/outbox.ts';

/** The columns of an account that every caller within reach may see, in their order in `user.created`. */
export const USER_COLUMNS = ['user_id', 'email', 'role', 'created_at', 'phone', 'timezone', 'plan'] as const;

export type User = Pick<Selectable<Tables['users']>, (typeof USER_COLUMNS)[number]>;
export type Role = User['role'];

/** The columns that can be set. */
export type UserSettings = Omit<
  Insertable<Tables['users']>,
  'user_id' | 'enrolled_by' | 'created_at' | 'signed_in_at' | 'home_recounted'
>;

const UNIQUE_VIOLATION = '23505';
/** Of one account: the first of them is its owner's. */
const MAX_TOLD_PER_DAY = 3;

/** Creates an account and its event. `enrolledBy`: the utility that may then see it. 409 where the e-mail is taken, in any case. */
export async function createUser(
  db: Database,
  { enrolledBy, ...settings }: UserSettings & { enrolledBy?: string | undefined },
): Promise<User> {
  return emailTaken(
    joinOrBeginTransaction(db, async (trx) => {
      const created = await trx
        .insertInto('users')
        .values({ ...settings, user_id: newId('usr'), enrolled_by: enrolledBy ?? null })
        .returning(USER_COLUMNS)
        .executeTakeFirstOrThrow();
      const event = {
        type: 'user.created' as const,
        userId: created.user_id,
        data: { ...created, created_at: created.created_at.toISOString() },
      };
      await addEvents(queryOf(trx), [event], new Date());
      return created;
    }),
  );
}

/** One account within the reach; null where it does not exist or lies beyond it. */
export async function findUser(db: Database, reach: Reach, userId: string): Promise<User | null> {
  const row = await db
    .selectFrom('users')
    .select(USER_COLUMNS)
    .where('user_id', '=', userId)
    .where(within(reach, 'users.user_id'))
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Accounts within the reach whose e-mail has `search` in it, in any case, of a role, of a plan, and for which every further condition
 * holds; in order of their ids, after `cursor`; at most `limit`.
 */
export async function listUsers(
  db: Database,
  reach: Reach,
  page: {
    search: string;
    role?: Role;
    plan?: User['plan'];
    also?: readonly RawBuilder<boolean>[];
    limit: number;
    cursor?: string;
  },
): Promise<User[]> {
  const { search, role, plan, also = [], cursor = '', limit } = page;
  let query = db.selectFrom('users').select(USER_COLUMNS).where(accountsWithin(reach)).where('user_id', '>', cursor);
  // Not LIKE: nothing that a person types is a wildcard.
  if (search !== '') query = query.where(sql<boolean>`strpos(lower(users.email), lower(${search})) > 0`);
  if (role !== undefined) query = query.where('role', '=', role);
  if (plan !== undefined) query = query.where('plan', '=', plan);
  for (const condition of also) query = query.where(condition);
  return query.orderBy('user_id').limit(limit).execute();
}

/**
 * Changes an account within the reach. Null where there is none; 409 where the e-mail is another's. A changed e-mail is told
 * to the old address, and ends whatever lets somebody in who could read that: waiting sign-ins, sessions, and who it is to a provider. 403 where it
 * is a utility's homeowner who has signed in. With a changed role go deliveries of what its subscriptions no longer get.
 */
export async function updateUser(
  db: Database,
  reach: Reach,
  userId: string,
  patch: Partial<UserSettings>,
): Promise<User | null> {
  if (Object.keys(patch).length === 0) return findUser(db, reach, userId);
  return emailTaken(
    joinOrBeginTransaction(db, async (trx) => {
      const before = await trx
        .selectFrom('users')
        .select(['email', 'role', 'signed_in_at'])
        .where('user_id', '=', userId)
        .where(within(reach, 'users.user_id'))
        .forNoKeyUpdate()
        .executeTakeFirst();
      if (!before) return null;
      const isMoved = patch.email !== undefined && patch.email !== before.email;
      const isByUtility = 'enrolledBy' in reach && reach.enrolledBy !== userId;
      if (isMoved && isByUtility && before.signed_in_at) throw new AppError('emailIsItsOwners');
      const row = await trx
        .updateTable('users')
        .set(patch)
        .where('user_id', '=', userId)
        .returning(USER_COLUMNS)
        .executeTakeFirstOrThrow();
      const now = new Date();
      if (isMoved) {
        await trx.deleteFrom('sign_ins').where('user_id', '=', userId).execute();
        await trx.deleteFrom('sessions').where('user_id', '=', userId).execute();
        await trx.deleteFrom('identities').where('user_id', '=', userId).execute();
        await tellFormerAddress(trx, userId, before.email, now);
      }
      if (row.role !== before.role) await takeBackDeliveries(queryOf(trx), userId);
      return row;
    }),
  );
}

/** Notifies the old address of an account. After a few changes in one day nobody is notified: the addresses may be anybody's. */
async function tellFormerAddress(trx: Database, userId: string, former: string, now: Date): Promise<void> {
  const type = 'user.email_changed';
  const { told } = await trx
    .selectFrom('events')
    .select((select) => select.fn.countAll<number>().as('told'))
    .where('user_id', '=', userId)
    .where('type', '=', type)
    .where('created_at', '>', new Date(now.getTime() - DAY_MS))
    .executeTakeFirstOrThrow();
  if (told >= MAX_TOLD_PER_DAY) return;
  const data = { former_email: former, changed_at: now.toISOString() };
  await addEvents(queryOf(trx), [{ type, userId, data, channel: 'email' }], now);
}

async function emailTaken<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if ((error as { code?: string }).code === UNIQUE_VIOLATION) throw new AppError('emailInUse');
    throw error;
  }
}
