import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import { AppError } from '#src/core/errors.ts';
import { createId } from '#src/core/ids.ts';
import { getAdvisoryLockId } from '#src/database/advisory-locks.ts';
import { createQueryFunction, type Database } from '#src/database/connect.ts';
import type { LANGUAGES } from '#src/database/enums.ts';
import { type AccessibleAccounts, ALL_ACCOUNTS, accessibleAccountsSql } from '#src/database/reach.ts';
import type { Tables } from '#src/database/tables.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { addEvents, cancelDeliveries } from '#src/events/outbox.ts';
import {
  consumeEmailChange,
  type EmailChangeRequester,
  notifyFormerEmailAddress,
  PENDING_EMAIL_SQL,
  requestEmailChange,
  withdrawEmailChange,
} from './email-changes.ts';
import { endAccountAccess } from './end-access.ts';
import { endMembershipsOfAccount } from './end-membership.ts';

/** Columns of an account that every caller with access to the account may read, in the order of the event `user.created`. */
export const USER_COLUMNS = [
  'user_id',
  'email',
  'role',
  'created_at',
  'phone',
  'timezone',
  'plan',
  'emission_series_id',
  'remarks_by_mail',
] as const;

export type User = Pick<Selectable<Tables['users']>, (typeof USER_COLUMNS)[number]> & {
  /** Requested address that is not confirmed yet; null or absent if no change of address is pending. */
  pending_email?: string | null;
};
export type Role = User['role'];

/** The columns of an account that callers can set. */
type UserSettings = Omit<
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

/**
 * Creates an account and the event `user.created`. `enrolledBy`: the utility that creates the account and may access it. Throws
 * 409 if the e-mail address is taken, ignoring case.
 */
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
          user_id: createId('usr'),
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
      await addEvents(createQueryFunction(trx), [event], new Date());
      return created;
    }),
  );
}

/**
 * Returns an account that the caller can access, or null. If `isHeld` is set, its address and role are locked until the
 * transaction ends.
 */
export async function findUser(
  db: Database,
  reach: AccessibleAccounts,
  userId: string,
  { isHeld = false }: { isHeld?: boolean } = {},
): Promise<User | null> {
  const row = await db
    .selectFrom('users')
    .select([...USER_COLUMNS, PENDING_EMAIL_SQL])
    .where('user_id', '=', userId)
    .where(accessibleAccountsSql(reach))
    .$if(isHeld, (query) => query.forShare())
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Returns at most `limit` accounts that the caller can access, in order of their ids, after `cursor`. `search` must occur in the
 * e-mail address, ignoring case.
 */
export async function listUsers(
  db: Database,
  reach: AccessibleAccounts,
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
    .select([...USER_COLUMNS, PENDING_EMAIL_SQL])
    .where(accessibleAccountsSql(reach))
    .where('user_id', '>', cursor);
  // Uses strpos instead of LIKE, because typed text must not act as a wildcard.
  if (search !== '') query = query.where(sql<boolean>`strpos(lower(users.email), lower(${search})) > 0`);
  if (role !== undefined) query = query.where('role', '=', role);
  if (plan !== undefined) query = query.where('plan', '=', plan);
  for (const condition of also) query = query.where(condition);
  return query.orderBy('user_id').limit(limit).execute();
}

/**
 * Changes an account that the caller can access. Null if there is no such account. A change of address takes effect at once if an
 * administrator makes it; otherwise a mail must confirm it. A changed address or role ends all keys and sessions. Throws 409 if
 * another account has the address or no administrator would remain; 403 if a utility changes the address of a homeowner who has
 * signed in.
 */
export async function updateUser(
  db: Database,
  reach: AccessibleAccounts,
  userId: string,
  patch: Partial<UserSettings>,
  requester?: EmailChangeRequester,
): Promise<User | null> {
  if (Object.keys(patch).length === 0) return findUser(db, reach, userId);
  return emailTaken(
    joinOrBeginTransaction(db, async (trx) => {
      if (patch.role !== undefined && patch.role !== 'admin') await assertOtherAdministrator(trx, userId);
      const before = await trx
        .selectFrom('users')
        .select(['email', 'role', 'signed_in_at'])
        .where('user_id', '=', userId)
        // This condition is part of the locking query, so that PostgreSQL checks it again if a concurrent change of the role commits first.
        .where(accessibleAccountsSql(reach))
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
      if (isMoved && !requester) await moveEmail(trx, userId, { email, former: before.email, isByOwner: false });
      const isOtherRole = settings.role !== undefined && settings.role !== before.role;
      if (isOtherRole) await cancelDeliveries(createQueryFunction(trx), userId);
      if (isOtherRole) await endMembershipsOfAccount(trx, userId, { because: 'role', now: new Date() });
      if (isOtherRole) await endAccountAccess(trx, userId, { because: 'role' });
      else if (isMoved && !requester) await endAccountAccess(trx, userId, { because: 'email' });
      return findUser(trx, ALL_ACCOUNTS, userId);
    }),
  );
}

/**
 * Throws 409 if the account is the only administrator. Until the transaction ends, no other administrator can be deleted or get
 * another role.
 */
export async function assertOtherAdministrator(trx: Database, userId: string): Promise<void> {
  // Raw SQL: an advisory lock, because the last two administrators could otherwise be deleted at the same time.
  await sql`SELECT pg_advisory_xact_lock(${getAdvisoryLockId('administrators')}::bigint)`.execute(trx);
  const administrators = await trx.selectFrom('users').select('user_id').where('role', '=', 'admin').limit(2).execute();
  if (administrators.length === 1 && administrators[0]?.user_id === userId) throw new AppError('lastAdministrator');
}

/** Throws 409 if another account has the address. */
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
 * Applies a pending change of address, in the transaction that has locked the account. Returns false if the change is no longer
 * valid. Throws 409 if another account has taken the address.
 */
export async function applyEmailChange(trx: Database, emailChangeId: string): Promise<boolean> {
  const taken = await consumeEmailChange(trx, emailChangeId);
  if (!taken) return false;
  const { user_id: userId, email, requester_user_id: requesterId } = taken;
  const before = await trx.selectFrom('users').select('email').where('user_id', '=', userId).executeTakeFirstOrThrow();
  await emailTaken(moveEmail(trx, userId, { email, former: before.email, isByOwner: requesterId === userId }));
  return true;
}

/**
 * Changes the e-mail address of an account, and removes its links to identity providers. Unless the owner requested the change,
 * all memberships and invitations end, because a new owner must not get access to homes of which the former owner was a member.
 */
async function moveEmail(
  trx: Database,
  userId: string,
  { email, former, isByOwner }: { email: string; former: string; isByOwner: boolean },
): Promise<void> {
  if (!isByOwner) await endMembershipsOfAccount(trx, userId, { because: 'access', now: new Date() });
  await trx.updateTable('users').set({ email }).where('user_id', '=', userId).execute();
  await trx.deleteFrom('identities').where('user_id', '=', userId).execute();
  await notifyFormerEmailAddress(trx, userId, former);
}

async function emailTaken<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if ((error as { code?: string }).code === UNIQUE_VIOLATION) throw new AppError('emailInUse');
    throw error;
  }
}

/** Whether the dashboard should ask for the account's time zone, because no user has set it. */
export async function shouldAskForTimezone(db: Database, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('timezone', '=', 'UTC')
    .where('is_timezone_given', '=', false)
    .executeTakeFirst();
  return row !== undefined;
}

export async function findUtilityOfAccount(db: Database, userId: string): Promise<string | null> {
  const row = await db.selectFrom('users').select('enrolled_by').where('user_id', '=', userId).executeTakeFirst();
  return row?.enrolled_by ?? null;
}

/** Returns the language of an account's mails and SMS; null if there is no such account. */
export async function findLanguageOfAccount(db: Database, userId: string): Promise<(typeof LANGUAGES)[number] | null> {
  const row = await db.selectFrom('users').select('language').where('user_id', '=', userId).executeTakeFirst();
  return row?.language ?? null;
}
