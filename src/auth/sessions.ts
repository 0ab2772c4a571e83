import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { newId } from '#src/core/ids.ts';
import type { Database } from '#src/database/connect.ts';
import type { Role } from '#src/users/store.ts';
import type { Caller } from './authenticate.ts';
import { SCOPES } from './scopes.ts';

const DAY_MS = 86_400_000;
/** A session ends so long after it began, and after so long without a request. */
export const SESSION_MS = 30 * DAY_MS;
export const IDLE_MS = 7 * DAY_MS;
/** `last_seen_at` is written this often at most. */
const SEEN_EVERY_MS = 5 * 60_000;

const sha256 = (text: string) => createHash('sha256').update(text).digest();

/** Opens a session; the secret is for the browser's cookie and is kept nowhere. */
export async function openSession(
  db: Database,
  userId: string,
  now: Date,
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
    })
    .execute();
  return { session_id, secret };
}

/** Who a session's secret stands for, with the role of now and every scope; null where there is no such session, or no longer. */
export async function findSession(db: Database, secret: string, now: Date): Promise<Caller | null> {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.user_id', 'sessions.user_id')
    .select(['session_id', 'users.user_id', 'role', 'last_seen_at'])
    .where('secret_sha256', '=', sha256(secret))
    .where('expires_at', '>', now)
    .where('last_seen_at', '>', new Date(now.getTime() - IDLE_MS))
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
  return { by: 'session', keyId: row.session_id, userId: row.user_id, role: row.role, scopes: new Set(SCOPES) };
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
    .where('expires_at', '>', now)
    .execute();
  return new Map(rows.map(({ session_id, role }) => [session_id, role]));
}

/** Ends a session. */
export async function closeSession(db: Database, sessionId: string): Promise<void> {
  await db.deleteFrom('sessions').where('session_id', '=', sessionId).execute();
}

/** Ends all sessions of an account; returns their ids. */
export async function closeSessionsOf(db: Database, userId: string): Promise<string[]> {
  const rows = await db.deleteFrom('sessions').where('user_id', '=', userId).returning('session_id').execute();
  return rows.map(({ session_id }) => session_id);
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

/** Removes sessions that are over, and ways to sign in that were not used in time. */
export async function forgetSessions(db: Database, now: Date): Promise<void> {
  const idleSince = new Date(now.getTime() - IDLE_MS);
  await db
    .deleteFrom('sessions')
    .where((where) => where.or([where('expires_at', '<=', now), where('last_seen_at', '<=', idleSince)]))
    .execute();
  await db.deleteFrom('sign_ins').where('expires_at', '<=', now).execute();
}
