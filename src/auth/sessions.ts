import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { prefixWithCell } from '#src/core/cell.ts';
import { AppError } from '#src/core/errors.ts';
import { createId } from '#src/core/ids.ts';
import { DAY_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import type { LANGUAGES } from '#src/database/enums.ts';
import { findOrReturnMoving } from '#src/database/moving.ts';
import { endExpiredAuthorizations } from '#src/users/app-access.ts';
import { recordAuditedAction } from '#src/users/audit.ts';
import { deleteExpiredEmailChanges, withdrawEmailChangesOfSessions } from '#src/users/email-changes.ts';
import { type AccessEndReason, endAccountAccess } from '#src/users/end-access.ts';
import { deleteEndedMembers } from '#src/users/end-membership.ts';
import type { Role } from '#src/users/store.ts';
import type { Caller } from './authenticate.ts';
import { MEMBER_HOMES_COLUMN } from './homes.ts';
import { SCOPES } from './scopes.ts';

/** Maximum lifetime of a session in ms, and maximum time in ms between two requests of a session. */
export const DASHBOARD_SESSION_LIFETIME_MS = 30 * DAY_MS;
const IDLE_MS = 7 * DAY_MS;
/** Minimum time between two updates of `last_seen_at`, in ms. */
const SEEN_EVERY_MS = 5 * 60_000;

const sha256 = (text: string) => createHash('sha256').update(text).digest();

/** Returns the SQL condition that a session is valid, for statements that contain the table `sessions`. */
export const isSessionValid = (now: Date): RawBuilder<SqlBool> =>
  sql<SqlBool>`(sessions.expires_at > ${now} AND sessions.last_seen_at > ${new Date(now.getTime() - IDLE_MS)})`;

/** Details of a sign-in, by which the account's owner can recognise a session. */
export interface SignInOrigin {
  /** User-Agent header of the browser. */
  userAgent: string | null;
  address: string | null;
  /** Language that the browser prefers, if the service supports it. */
  language?: (typeof LANGUAGES)[number] | undefined;
  /** Method of the sign-in; by default `mail` (a link or code in a mail). */
  by?: SignInMethod;
}

/**
 * Method of a sign-in. `mail`: a link or code in a mail; `provider`: OpenID Connect; `device`: a link that was created in another session;
 * `passkey`: a passkey of the account.
 */
type SignInMethod = 'mail' | 'provider' | 'device' | 'passkey';

const MAX_USER_AGENT_CHARACTERS = 300;

/**
 * Opens a session. Returns a secret for the browser's cookie; the service stores only its hash. The language of the account's
 * mails changes to the browser's. If `ends` is set, all earlier keys and sessions of the account end. They also end at the first
 * sign-in to an account that a utility created.
 */
export async function openSession(
  db: Database,
  userId: string,
  now: Date,
  { userAgent, address, language, by = 'mail' }: SignInOrigin = { userAgent: null, address: null },
  ends?: AccessEndReason,
): Promise<{ session_id: string; secret: string }> {
  const secret = prefixWithCell(randomBytes(32).toString('base64url'));
  const session_id = createId('ses');
  await db
    .insertInto('sessions')
    .values({
      session_id,
      user_id: userId,
      secret_sha256: sha256(secret),
      created_at: now,
      last_seen_at: now,
      expires_at: new Date(now.getTime() + DASHBOARD_SESSION_LIFETIME_MS),
      user_agent: userAgent?.slice(0, MAX_USER_AGENT_CHARACTERS) ?? null,
      address,
      signed_in_by: by,
    })
    .execute();
  if (language)
    await db
      .updateTable('users')
      .set({ language })
      .where('user_id', '=', userId)
      .where('remarks_by_mail', '=', false)
      .where('language', '!=', language)
      .execute();
  const first = await db
    .updateTable('users')
    .set({ signed_in_at: now })
    .where('user_id', '=', userId)
    .where('signed_in_at', 'is', null)
    .returning(['is_enrolled', 'enrolled_by'])
    .executeTakeFirst();
  const isEnrolled = first !== undefined && (first.is_enrolled || first.enrolled_by !== null);
  const because = ends ?? (isEnrolled ? 'first_sign_in' : undefined);
  const actor = { userId, keyId: session_id };
  await recordAuditedAction(db, {
    actor,
    address: address ?? 'unknown',
    action: 'session.opened',
    target: session_id,
    details: by === 'mail' ? {} : { by },
  });
  if (because) await endAccountAccess(db, userId, { because, exceptSession: session_id });
  return { session_id, secret };
}

/**
 * Returns the caller that presents a session's secret, or null if there is no valid session. Throws 503 while the account moves
 * to another installation.
 */
export async function findSession(db: Database, secret: string, now: Date): Promise<Caller | null> {
  const secretSha256 = sha256(secret);
  const row = await findOrReturnMoving(db, { secretSha256 }, () =>
    db
      .selectFrom('sessions')
      .innerJoin('users', 'users.user_id', 'sessions.user_id')
      .select(['session_id', 'users.user_id', 'role', 'last_seen_at', MEMBER_HOMES_COLUMN])
      .where('secret_sha256', '=', secretSha256)
      .where(isSessionValid(now))
      .executeTakeFirst(),
  );
  if (row === 'moving') throw new AppError('unavailable');
  if (!row) return null;
  if (row.last_seen_at.getTime() < now.getTime() - SEEN_EVERY_MS) {
    // The update is not awaited, because the session is also valid if the update fails.
    void db
      .updateTable('sessions')
      .set({ last_seen_at: now })
      .where('session_id', '=', row.session_id)
      .execute()
      .catch(() => {});
  }
  const { session_id: keyId, user_id: userId, role, homes } = row;
  const scopes = new Set(SCOPES);
  return { by: 'session', keyId, accountId: userId, userId, role, scopes, groupId: null, ...(homes && { homes }) };
}

/** A session as shown to its owner. */
export interface Session {
  session_id: string;
  created_at: string;
  last_seen_at: string;
  expires_at: string;
  user_agent: string | null;
  address: string | null;
  signed_in_by: SignInMethod;
}

/** Returns at most `limit` valid sessions of an account, in order of their ids, after `cursor`. */
export async function listSessions(
  db: Database,
  userId: string,
  now: Date,
  page: { limit: number; cursor?: string },
): Promise<Session[]> {
  const rows = await db
    .selectFrom('sessions')
    .select(['session_id', 'created_at', 'last_seen_at', 'expires_at', 'user_agent', 'address', 'signed_in_by'])
    .where('user_id', '=', userId)
    .where(isSessionValid(now))
    .where('session_id', '>', page.cursor ?? '')
    .orderBy('session_id')
    .limit(page.limit)
    .execute();
  return rows.map((row) => ({
    ...row,
    created_at: row.created_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
    // A session also expires if it is not used for a while.
    expires_at: new Date(Math.min(row.expires_at.getTime(), row.last_seen_at.getTime() + IDLE_MS)).toISOString(),
  }));
}

/** Returns, by session id, the role of the account of each given session that is still valid. */
export async function findAccountRolesOfSessions(
  db: Database,
  sessionIds: readonly string[],
  now: Date,
): Promise<Map<string, Role>> {
  const rows = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.user_id', 'sessions.user_id')
    .select(['session_id', 'role'])
    .where('session_id', 'in', [...sessionIds, ''])
    .where(isSessionValid(now))
    .execute();
  return new Map(rows.map(({ session_id, role }) => [session_id, role]));
}

/** Returns the method by which the owner signed in to a session; null if there is no such session. */
export async function findSignInMethod(db: Database, sessionId: string): Promise<SignInMethod | null> {
  const row = await db
    .selectFrom('sessions')
    .select('signed_in_by')
    .where('session_id', '=', sessionId)
    .executeTakeFirst();
  return row?.signed_in_by ?? null;
}

/**
 * Time in ms after a sign-in during which the session may grant permanent access. Later, another person may have found the
 * browser open.
 */
const FRESH_MS = 15 * 60_000;

/**
 * Whether the owner of a session signed in during the last 15 minutes. A session that was opened by a link from another session
 * does not count, because anybody who finds a browser open can create such a link.
 */
export async function hasJustSignedIn(db: Database, sessionId: string, now: Date): Promise<boolean> {
  const row = await db
    .selectFrom('sessions')
    .select('session_id')
    .where('session_id', '=', sessionId)
    .where('signed_in_by', '!=', 'device')
    .where('created_at', '>', new Date(now.getTime() - FRESH_MS))
    .executeTakeFirst();
  return row !== undefined;
}

/** Ends a session of an account, as a sign-out does. Returns false if there is no such session. */
export async function closeSession(db: Database, userId: string, sessionId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('session_id', '=', sessionId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Ends sessions by their ids, without checking the account. */
export async function closeSessions(db: Database, sessionIds: readonly string[]): Promise<void> {
  await db.deleteFrom('sessions').where('session_id', '=', sql<string>`ANY (${sessionIds}::text[])`).execute();
}

/**
 * Ends a session that another person may have used, and withdraws the changes of e-mail addresses that it requested. Returns
 * false if there is no such session.
 */
export async function closeSessionAndEmailChanges(db: Database, userId: string, sessionId: string): Promise<boolean> {
  await withdrawEmailChangesOfSessions(db, userId, [sessionId]);
  return closeSession(db, userId, sessionId);
}

export async function closeUserSessionsAndEmailChanges(db: Database, userId: string): Promise<string[]> {
  const rows = await db.deleteFrom('sessions').where('user_id', '=', userId).returning('session_id').execute();
  const sessionIds = rows.map(({ session_id }) => session_id);
  await withdrawEmailChangesOfSessions(db, userId, sessionIds);
  return sessionIds;
}

/** Returns the CSRF token that the dashboard sends with every change. Pages of other sites cannot read the token. */
export const createCsrfToken = (secret: string, sessionId: string): string =>
  createHmac('sha256', secret).update(`csrf ${sessionId}`).digest('base64url');

export function isCsrfToken(secret: string, sessionId: string, given: unknown): boolean {
  if (typeof given !== 'string') return false;
  const wanted = Buffer.from(createCsrfToken(secret, sessionId));
  const sent = Buffer.from(given);
  return sent.length === wanted.length && timingSafeEqual(sent, wanted);
}

/**
 * Deletes ended sessions, and expired sign-ins, challenges of passkeys, changes of e-mail addresses, memberships, authorizations
 * and tokens.
 */
export async function deleteEndedSessions(db: Database, now: Date): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where(({ not }) => not(isSessionValid(now)))
    .execute();
  await db
    .deleteFrom('sign_ins')
    .where('expires_at', '<=', now)
    .where('created_at', '<=', new Date(now.getTime() - DAY_MS))
    .execute();
  await db.deleteFrom('passkey_challenges').where('expires_at', '<=', now).execute();
  await deleteExpiredEmailChanges(db, now);
  await deleteEndedMembers(db, now);
  await endExpiredAuthorizations(db, now);
}
