import { type Selectable, sql } from 'kysely';
import { AppError, createUnprocessableError, requireFound } from '#src/core/errors.ts';
import { createId } from '#src/core/ids.ts';
import { DAY_MS } from '#src/core/units.ts';
import { getAdvisoryLockId } from '#src/database/advisory-locks.ts';
import { createQueryFunction, type Database } from '#src/database/connect.ts';
import type { LANGUAGES, MemberAccessLevel } from '#src/database/enums.ts';
import type { Tables } from '#src/database/tables.ts';
import { addEvents } from '#src/events/outbox.ts';
import { assertDailyMailLimit } from './email-changes.ts';
import { createUser } from './store.ts';

/** Maximum number of members and invitations of one home. Also the maximum number of homes of which one account can be a member. */
const MAX_MEMBERS = 20;
/** Maximum number of invitations that a home sends within a day, because an invitation is a mail that may reach a stranger. */
const MAX_INVITATIONS_PER_DAY = 10;
/** Validity of an invitation in ms. */
const INVITED_FOR_MS = 7 * DAY_MS;

type Language = (typeof LANGUAGES)[number];

/** A member of a home, or an invitation to the home, as shown to the home's owner. */
export interface Member {
  member_id: string;
  /** Current e-mail address of the member's account or, for an invitation, the invited address. */
  email: string;
  access: MemberAccessLevel;
  created_at: Date;
  accepted_at: Date | null;
  /** Time at which an invitation expires; null for a member who has accepted. */
  expires_at: Date | null;
  /** Time at which a key that the member created for the home was last used. */
  last_used_at: Date | null;
}

export interface Membership {
  member_id: string;
  home_user_id: string;
  /** E-mail address of the home's own account. */
  home_email: string;
  access: MemberAccessLevel;
  accepted_at: Date;
}

/** Returns the time after which an invitation must have been sent to be still valid. */
const invitedSince = (now: Date) => new Date(now.getTime() - INVITED_FOR_MS);

/** SQL condition on a row of `home_members`: a membership that has not ended, or a valid invitation. */
const isCurrent = (now: Date) => sql<boolean>`(home_members.ended_at IS NULL
  AND (home_members.accepted_at IS NOT NULL OR home_members.created_at > ${invitedSince(now)}))`;

/**
 * Invites an address to a home, in the transaction that has locked the home's account. The address receives a link that is valid
 * for 7 days. Throws 409 if the address is already invited or a member, or if the home has 20 members and invitations; 429 after
 * ten invitations in a day.
 */
export async function inviteMember(
  trx: Database,
  home: { user_id: string; email: string },
  { email, access, now }: { email: string; access: MemberAccessLevel; now: Date },
): Promise<Member> {
  if (email.toLowerCase() === home.email.toLowerCase()) throw new AppError('ownHome');
  const current = await listHomeMembers(trx, home.user_id, now, { limit: MAX_MEMBERS });
  if (current.some((one) => one.email.toLowerCase() === email.toLowerCase())) throw new AppError('alreadyMember');
  if (current.length >= MAX_MEMBERS) throw new AppError('tooManyMembers');
  const mailedAt = new Date();
  await assertDailyMailLimit(trx, home.user_id, {
    type: 'member.invited',
    most: MAX_INVITATIONS_PER_DAY,
    now: mailedAt,
  });
  const member_id = createId('mem');
  await trx
    .insertInto('home_members')
    .values({
      member_id,
      user_id: home.user_id,
      email,
      access,
      created_at: now,
      member_user_id: null,
      accepted_at: null,
    })
    .execute();
  const data = { member_id, access };
  await addEvents(
    createQueryFunction(trx),
    [{ type: 'member.invited', userId: home.user_id, data, channel: 'email' }],
    mailedAt,
  );
  return toMember({ member_id, email, access, created_at: now, accepted_at: null, last_used_at: null });
}

/** Returns at most `limit` members and valid invitations of a home, in order of their ids, after `cursor`. */
export async function listHomeMembers(
  db: Database,
  homeId: string,
  now: Date,
  page: { limit: number; cursor?: string },
): Promise<Member[]> {
  const rows = await db
    .selectFrom('home_members')
    .leftJoin('users', 'users.user_id', 'home_members.member_user_id')
    .select(({ fn, selectFrom }) => [
      'home_members.member_id',
      fn.coalesce('users.email', 'home_members.email').as('email'),
      'access',
      'home_members.created_at',
      'accepted_at',
      selectFrom('api_keys')
        .select((key) => key.fn.max('last_used_at').as('last'))
        .whereRef('api_keys.member_id', '=', 'home_members.member_id')
        .as('last_used_at'),
    ])
    .where('home_members.user_id', '=', homeId)
    .where(isCurrent(now))
    .where('home_members.member_id', '>', page.cursor ?? '')
    .orderBy('home_members.member_id')
    .limit(page.limit)
    .execute();
  return rows.map(toMember);
}

const toMember = (row: Omit<Member, 'expires_at'>): Member => ({
  ...row,
  expires_at: row.accepted_at ? null : new Date(row.created_at.getTime() + INVITED_FOR_MS),
});

/** Returns at most `limit` homes of which an account is a member, in order of the memberships' ids, after `cursor`. */
export async function listMemberships(
  db: Database,
  accountId: string,
  page: { limit: number; cursor?: string },
): Promise<Membership[]> {
  const rows = await db
    .selectFrom('home_members')
    .innerJoin('users', 'users.user_id', 'home_members.user_id')
    .select(['member_id', 'home_members.user_id as home_user_id', 'access', 'accepted_at'])
    .select('users.email as home_email')
    .where('member_user_id', '=', accountId)
    .where('ended_at', 'is', null)
    .where('member_id', '>', page.cursor ?? '')
    .orderBy('member_id')
    .limit(page.limit)
    .execute();
  return rows.map(({ accepted_at, ...row }) => ({ ...row, accepted_at: accepted_at as Date }));
}

interface AcceptingAccount {
  user_id: string;
  email: string;
  role: Selectable<Tables['users']>['role'];
  signed_in_at: Date | null;
}

/** An invitation that was not accepted yet. The fields `home_…` describe the account of the home. */
interface Invitation {
  user_id: string;
  email: string;
  access: MemberAccessLevel;
  home_email: string;
  home_language: Language;
}

/** Returns a valid invitation with the e-mail address of its home. Null if the invitation was used or withdrawn, or has expired. */
export async function findInvitation(db: Database, memberId: string, now: Date): Promise<Invitation | null> {
  const row = await db
    .selectFrom('home_members')
    .innerJoin('users', 'users.user_id', 'home_members.user_id')
    .select(['home_members.user_id', 'home_members.email', 'access', 'users.email as home_email'])
    .select('users.language as home_language')
    .where('member_id', '=', memberId)
    .where('accepted_at', 'is', null)
    .where('home_members.created_at', '>', invitedSince(now))
    .where('role', '=', 'homeowner')
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Accepts an invitation for an account, in the transaction that has locked the account. `memberId`: id from the invitation's
 * token; null if the token is invalid. Throws 422 if the invitation is not valid, 403 if the account's address is not confirmed,
 * and 409 if the account cannot be a member of the home.
 */
export async function acceptInvitation(
  trx: Database,
  memberId: string | null,
  account: AcceptingAccount,
  now: Date,
): Promise<Membership> {
  const known = memberId === null ? null : await findInvitation(trx, memberId, now);
  if (memberId === null || !known) throw invalidInvitation();
  // Locks the home's account before the invitation, like an erasure of the home, to avoid deadlocks.
  await trx.selectFrom('users').select('user_id').where('user_id', '=', known.user_id).forShare().execute();
  // Raw SQL: the advisory lock prevents concurrent acceptances from exceeding the maximum number of homes of an account.
  await sql`SELECT pg_advisory_xact_lock(${getAdvisoryLockId('memberships of', account.user_id)}::bigint)`.execute(trx);
  await trx.selectFrom('home_members').select('member_id').where('member_id', '=', memberId).forUpdate().execute();
  const invitation = await findInvitation(trx, memberId, now);
  if (!invitation) throw invalidInvitation();
  if (account.role !== 'homeowner') throw new AppError('notHomeowner');
  if (account.user_id === invitation.user_id) throw new AppError('ownHome');
  const isMailedTo = account.email.toLowerCase() === invitation.email.toLowerCase();
  if (!isMailedTo && account.signed_in_at === null) throw new AppError('addressNotConfirmed');
  const others = await listMemberships(trx, account.user_id, { limit: MAX_MEMBERS });
  if (others.some((one) => one.home_user_id === invitation.user_id)) throw new AppError('alreadyMember');
  if (others.length >= MAX_MEMBERS) throw new AppError('tooManyMembers');
  await trx
    .updateTable('home_members')
    .set({ member_user_id: account.user_id, accepted_at: now })
    .where('member_id', '=', memberId)
    .execute();
  const { user_id: home_user_id, access, home_email } = invitation;
  const data = { member_id: memberId, access };
  await addEvents(
    createQueryFunction(trx),
    [
      { type: 'member.joined', userId: home_user_id, data, channel: 'email' },
      { type: 'membership.began', userId: account.user_id, data, channel: 'email' },
    ],
    new Date(),
  );
  return { member_id: memberId, home_user_id, home_email, access, accepted_at: now };
}

const invalidInvitation = () =>
  createUnprocessableError({
    field: 'token',
    message: 'is wrong, expired or already used; ask the owner of the home for a new one',
  });

/**
 * Accepts an invitation for the account with the invited address. If there is no such account, creates a homeowner's account with
 * `language`. Throws the errors of `acceptInvitation`.
 */
export async function acceptInvitationByMail(
  trx: Database,
  memberId: string,
  { now, language }: { now: Date; language: Language },
): Promise<Membership & { email: string }> {
  const invitation = await findInvitation(trx, memberId, now);
  if (!invitation) throw invalidInvitation();
  const { email } = invitation;
  const known = await trx
    .selectFrom('users')
    .select('user_id')
    .where((where) => where(where.fn<string>('lower', ['email']), '=', email.toLowerCase()))
    .forShare()
    .executeTakeFirst();
  const { user_id } = known ?? (await createUser(trx, { email, role: 'homeowner', language }));
  const account = requireFound(await findAcceptingAccount(trx, user_id));
  return { email, ...(await acceptInvitation(trx, memberId, account, now)) };
}

/** Returns an account that wants to accept an invitation, with its address and role; null if the account does not exist. */
export async function findAcceptingAccount(db: Database, userId: string): Promise<AcceptingAccount | null> {
  const row = await db
    .selectFrom('users')
    .select(['user_id', 'email', 'role', 'signed_in_at'])
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row ?? null;
}
