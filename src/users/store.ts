import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import { AppError } from '#src/core/errors.ts';
import { newId } from '#src/core/ids.ts';
import { type Database, queryOf } from '#src/database/connect.ts';
import { accountsWithin, EVERYBODY, type Reach } from '#src/database/reach.ts';
import type { Tables } from '#src/database/tables.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { addEvents, takeBackDeliveries } from '#src/events/outbox.ts';
import {
  notifyFormerAddress,
  PENDING_EMAIL,
  type Requester,
  requestEmailChange,
  takeRequest,
  withdrawEmailChange,
} from './email-changes.ts';
import { endAccess } from './end-access.ts';

/** The columns of an account that every caller within reach may see, in their order in `user.created`. */
export const USER_COLUMNS = ['user_id', 'email', 'role', 'created_at', 'phone', 'timezone', 'plan'] as const;

export type User = Pick<Selectable<Tables['users']>, (typeof USER_COLUMNS)[number]> & {
  /** The address that it will have once a mail to it was used; null or absent if no change waits. */
  pending_email?: string | null;
};
export type Role = User['role'];

/** The columns that can be set. */
export type UserSettings = Omit<
  Insertable<Tables['users']>,
  | 'user_id'
  | 'enrolled_by'
  | 'is_enrolled'
  | 'created_at'
  | 'signed_in_at'
  | 'home_recounted'
  | 'may_be_recounted'
  | 'is_timezone_given'
>;

const UNIQUE_VIOLATION = '23505';

/** Creates an account and its event. `enrolledBy`: the utility that may then see it. 409 where the e-mail is taken, in any case. */
export async function createUser(
  db: Database,
  { enrolledBy, ...settings }: UserSettings & { enrolledBy?: string | undefined },
): Promise<User> {
  return emailTaken(
    joinOrBeginTransaction(db, async (trx) => {
      const created = await trx
        .insertInto('users')
        .values({
          ...settings,
          user_id: newId('usr'),
          enrolled_by: enrolledBy ?? null,
          is_enrolled: enrolledBy !== undefined,
          is_timezone_given: settings.timezone !== undefined,
        })
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

/**
 * One account within the reach; null where it does not exist or lies beyond it. `isHeld`: its address and role stay what they are until the
 * transaction ends, and are looked at once whoever changes them has committed.
 */
export async function findUser(
  db: Database,
  reach: Reach,
  userId: string,
  { isHeld = false }: { isHeld?: boolean } = {},
): Promise<User | null> {
  const row = await db
    .selectFrom('users')
    .select([...USER_COLUMNS, PENDING_EMAIL])
    .where('user_id', '=', userId)
    .where(accountsWithin(reach))
    .$if(isHeld, (query) => query.forShare())
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
  let query = db
    .selectFrom('users')
    .select([...USER_COLUMNS, PENDING_EMAIL])
    .where(accountsWithin(reach))
    .where('user_id', '>', cursor);
  // Not LIKE: nothing that a person types is a wildcard.
  if (search !== '') query = query.where(sql<boolean>`strpos(lower(users.email), lower(${search})) > 0`);
  if (role !== undefined) query = query.where('role', '=', role);
  if (plan !== undefined) query = query.where('plan', '=', plan);
  for (const condition of also) query = query.where(condition);
  return query.orderBy('user_id').limit(limit).execute();
}

/**
 * Changes an account within the reach. Null where there is none; 409 where the e-mail is another's. A changed address holds at once if an administrator changes it (no
 * `requester`); else it waits for a mail to it to be used, and the address that the account has withdraws what
 * waits. 403 where it is a utility's homeowner who has signed in. A changed address or role ends all keys and sessions (end-access.ts); with
 * a role go deliveries of what its subscriptions no longer get.
 */
export async function updateUser(
  db: Database,
  reach: Reach,
  userId: string,
  patch: Partial<UserSettings>,
  requester?: Requester,
): Promise<User | null> {
  if (Object.keys(patch).length === 0) return findUser(db, reach, userId);
  return emailTaken(
    joinOrBeginTransaction(db, async (trx) => {
      const before = await trx
        .selectFrom('users')
        .select(['email', 'role', 'signed_in_at'])
        .where('user_id', '=', userId)
        // By the row's own columns: they are looked at again, once whoever changes its role has committed.
        .where(accountsWithin(reach))
        .forNoKeyUpdate()
        .executeTakeFirst();
      if (!before) return null;
      const { email, ...settings } = patch;
      const isMoved = email !== undefined && email !== before.email;
      const isByUtility = 'enrolledBy' in reach && reach.enrolledBy !== userId;
      const isItsOwners = isByUtility && before.signed_in_at !== null;
      if (isMoved && isItsOwners) throw new AppError('emailIsItsOwners');
      if (Object.keys(settings).length > 0)
        await trx
          .updateTable('users')
          .set({ ...settings, ...(settings.timezone === undefined ? {} : { is_timezone_given: true }) })
          .where('user_id', '=', userId)
          .execute();
      if (email !== undefined && !isItsOwners) await withdrawEmailChange(trx, userId);
      if (isMoved && requester) {
        await mustBeFree(trx, email, userId);
        await requestEmailChange(trx, { userId, email, former: before.email, requester });
      }
      if (isMoved && !requester) await moveEmail(trx, userId, { email, former: before.email });
      const isOtherRole = settings.role !== undefined && settings.role !== before.role;
      if (isOtherRole) await takeBackDeliveries(queryOf(trx), userId);
      if (isOtherRole) await endAccess(trx, userId, { because: 'role' });
      else if (isMoved && !requester) await endAccess(trx, userId, { because: 'email' });
      return findUser(trx, EVERYBODY, userId);
    }),
  );
}

/** 409 where another account has the address now. (Whoever confirms a change is asked again: it may have been taken meanwhile.) */
async function mustBeFree(db: Database, email: string, userId: string): Promise<void> {
  const other = await db
    .selectFrom('users')
    .select('user_id')
    .where(sql<boolean>`lower(users.email) = lower(${email})`)
    .where('user_id', '<>', userId)
    .executeTakeFirst();
  if (other) throw new AppError('emailInUse');
}

/**
 * Takes the address of a change that waits, in the transaction that has locked the account, and returns true. False if the change was
 * withdrawn, is over, or its requester may no longer change anything. 409 where another account has the address by now.
 */
export async function takeEmailChange(trx: Database, emailChangeId: string): Promise<boolean> {
  const taken = await takeRequest(trx, emailChangeId);
  if (!taken) return false;
  const { user_id: userId, email } = taken;
  const before = await trx.selectFrom('users').select('email').where('user_id', '=', userId).executeTakeFirstOrThrow();
  await emailTaken(moveEmail(trx, userId, { email, former: before.email }));
  return true;
}

/** Gives an account another address. Who it is to providers was found by the old one: the next sign-in there links again. */
async function moveEmail(
  trx: Database,
  userId: string,
  { email, former }: { email: string; former: string },
): Promise<void> {
  await trx.updateTable('users').set({ email }).where('user_id', '=', userId).execute();
  await trx.deleteFrom('identities').where('user_id', '=', userId).execute();
  await notifyFormerAddress(trx, userId, former);
}

async function emailTaken<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if ((error as { code?: string }).code === UNIQUE_VIOLATION) throw new AppError('emailInUse');
    throw error;
  }
}

/** Whether the dashboard is to ask an account for its time zone: it has the default, and nobody set it. */
export async function isTimezoneUnknown(db: Database, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('timezone', '=', 'UTC')
    .where('is_timezone_given', '=', false)
    .executeTakeFirst();
  return row !== undefined;
}

/** The utility that enrolled an account; null for none. */
export async function utilityOf(db: Database, userId: string): Promise<string | null> {
  const row = await db.selectFrom('users').select('enrolled_by').where('user_id', '=', userId).executeTakeFirst();
  return row?.enrolled_by ?? null;
}
