import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { newId } from '#src/core/ids.ts';
import { DAY_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { recordAct } from '#src/users/audit.ts';
import { forgetEmailChanges, withdrawChangesOfSessions } from '#src/users/email-changes.ts';
import { type AccessEnd, endAccess } from '#src/users/end-access.ts';
import type { Role } from '#src/users/store.ts';
import type { Caller } from './authenticate.ts';
import { SCOPES } from './scopes.ts';

/** How long a session lasts, and how long it lasts without a request. */
export const SESSION_MS = 30 * DAY_MS;
const IDLE_MS = 7 * DAY_MS;
/** `last_seen_at` is written this often at most. */
const SEEN_EVERY_MS = 5 * 60_000;

const sha256 = (text: string) => createHash('sha256').update(text).digest();

/** That a session is not over: for statements on `sessions` by that name. */
export const isOpen = (now: Date): RawBuilder<SqlBool> =>
  sql<SqlBool>`(sessions.expires_at > ${now} AND sessions.last_seen_at > ${new Date(now.getTime() - IDLE_MS)})`;

/** What its owner will know a session by. */
export interface SignedInFrom {
  /** The browser, as it says itself. */
  userAgent: string | null;
  address: string | null;
  /** By a link or code of a mail, where nothing else is said. */
  by?: SignedInBy;
}

/** `provider`: by OpenID Connect. */
export type SignedInBy = 'mail' | 'provider';

const MAX_USER_AGENT_CHARACTERS = 300;

/**
 * Opens a session; the secret is for the browser's cookie and is stored nowhere. With `ends`, and at the first sign-in to an account that a
 * utility created, all that gave access before ends: the account may have been in other hands.
 */
export async function openSession(
  db: Database,
  userId: string,
  now: Date,
  { userAgent, address, by = 'mail' }: SignedInFrom = { userAgent: null, address: null },
  ends?: AccessEnd,
): Promise<{ session_id: string; secret: string }> {
  const secret = randomBytes(32).toString('base64url');
  const session_id = newId('ses');
  await db
    .insertInto('sessions')
    .values({
      session_id,
      user_id: userId,
      secret_sha256: sha256(secret),
      created_at: now,
      last_seen_at: now,
      expires_at: new Date(now.getTime() + SESSION_MS),
      user_agent: userAgent?.slice(0, MAX_USER_AGENT_CHARACTERS) ?? null,
      address,
      signed_in_by: by,
    })
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
  await recordAct(db, {
    actor,
    address: address ?? 'unknown',
    action: 'session.opened',
    target: session_id,
    details: by === 'mail' ? {} : { by },
  });
  if (because) await endAccess(db, userId, { because, exceptSession: session_id });
  return { session_id, secret };
}

/** Who a session's secret stands for, with the role of now and every scope; null where there is no such session, or no longer. */
export async function findSession(db: Database, secret: string, now: Date): Promise<Caller | null> {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.user_id', 'sessions.user_id')
    .select(['session_id', 'users.user_id', 'role', 'last_seen_at'])
    .where('secret_sha256', '=', sha256(secret))
    .where(isOpen(now))
    .executeTakeFirst();
  if (!row) return null;
  if (row.last_seen_at.getTime() < now.getTime() - SEEN_EVERY_MS) {
    // Not waited for, and no matter if it fails.
    void db
      .updateTable('sessions')
      .set({ last_seen_at: now })
      .where('session_id', '=', row.session_id)
      .execute()
      .catch(() => {});
  }
  const { session_id: keyId, user_id: userId, role } = row;
  return { by: 'session', keyId, userId, role, scopes: new Set(SCOPES), groupId: null };
}

/** A session as its owner sees it. */
export interface Session {
  session_id: string;
  created_at: string;
  last_seen_at: string;
  expires_at: string;
  user_agent: string | null;
  address: string | null;
  signed_in_by: SignedInBy;
}

/** Sessions of an account that are not over, in order of their ids, after `cursor`; at most `limit`. */
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
    .where(isOpen(now))
    .where('session_id', '>', page.cursor ?? '')
    .orderBy('session_id')
    .limit(page.limit)
    .execute();
  return rows.map((row) => ({
    ...row,
    created_at: row.created_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
    // It ends before that where it is not used.
    expires_at: new Date(Math.min(row.expires_at.getTime(), row.last_seen_at.getTime() + IDLE_MS)).toISOString(),
  }));
}

/** The roles of those sessions that are not over, by their ids. */
export async function rolesOfSessions(
  db: Database,
  sessionIds: readonly string[],
  now: Date,
): Promise<Map<string, Role>> {
  const rows = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.user_id', 'sessions.user_id')
    .select(['session_id', 'role'])
    .where('session_id', 'in', [...sessionIds, ''])
    .where(isOpen(now))
    .execute();
  return new Map(rows.map(({ session_id, role }) => [session_id, role]));
}

/** How a session was signed in; null where there is none. */
export async function howSignedIn(db: Database, sessionId: string): Promise<SignedInBy | null> {
  const row = await db
    .selectFrom('sessions')
    .select('signed_in_by')
    .where('session_id', '=', sessionId)
    .executeTakeFirst();
  return row?.signed_in_by ?? null;
}

/** Ends a session of an account, as its own sign-out does; false where there is none. */
export async function closeSession(db: Database, userId: string, sessionId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('session_id', '=', sessionId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Ends a session that somebody else may have used: what was requested in it and waits is withdrawn, too. False where there is none. */
export async function evictSession(db: Database, userId: string, sessionId: string): Promise<boolean> {
  await withdrawChangesOfSessions(db, userId, [sessionId]);
  return closeSession(db, userId, sessionId);
}

/** Evicts all sessions of an account; returns their ids. */
export async function evictSessionsOf(db: Database, userId: string): Promise<string[]> {
  const rows = await db.deleteFrom('sessions').where('user_id', '=', userId).returning('session_id').execute();
  const sessionIds = rows.map(({ session_id }) => session_id);
  await withdrawChangesOfSessions(db, userId, sessionIds);
  return sessionIds;
}

/** What a page of ours sends with whatever changes something: another site's page cannot know it. */
export const csrfToken = (secret: string, sessionId: string): string =>
  createHmac('sha256', secret).update(`csrf ${sessionId}`).digest('base64url');

/** Whether it is that session's. */
export function isCsrfToken(secret: string, sessionId: string, given: unknown): boolean {
  if (typeof given !== 'string') return false;
  const wanted = Buffer.from(csrfToken(secret, sessionId));
  const sent = Buffer.from(given);
  return sent.length === wanted.length && timingSafeEqual(sent, wanted);
}

/** Removes sessions that are over, ways to sign in that were not used in time, once they no longer count, and such changes of addresses. */
export async function forgetSessions(db: Database, now: Date): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where(({ not }) => not(isOpen(now)))
    .execute();
  await db
    .deleteFrom('sign_ins')
    .where('expires_at', '<=', now)
    .where('created_at', '<=', new Date(now.getTime() - DAY_MS))
    .execute();
  await forgetEmailChanges(db, now);
}
