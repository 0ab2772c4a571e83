import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import type { EventBody } from './bodies.ts';

/** Time for which events are still created after a follower's last check: a follower that returns within a day has missed none. */
const KEPT_HOURS = 24;
/** Minimum time between two updates of a follower's timestamp, to avoid a write with every connection. */
const NOTED_AFTER_HOURS = 1;
/** Events are removed after 30 days (delivery/retention.ts). */
const REACHES_BACK_DAYS = 29;
/** Maximum number of events of one home that are read at once. */
const MAX_EVENTS = 20;

/** Position before every event. */
const BEFORE_ALL = 'evt_';

/** Those of a relation's users (its `user_id`), in SQL, whose homes are followed: their `usage.updated` are made though nobody subscribed to them. */
export const followedAmong = (relation: string): string =>
  `SELECT user_id FROM ${relation} JOIN usage_told USING (user_id) WHERE followed_until > now()`;

/**
 * Notes that a home is followed. Answers since when that has been so without a gap, Unix ms: every change of its hours since then is, or
 * will be, in an event.
 */
export async function follow(db: Database, userId: string): Promise<number> {
  // Raw SQL: all of it by the server's clock, which workers and processes of the API share.
  await sql`
    INSERT INTO usage_told AS t (user_id, told_at, followed_since, followed_until)
    VALUES (${userId}, 'epoch', now(), now() + make_interval(hours => ${KEPT_HOURS}))
    ON CONFLICT (user_id) DO UPDATE SET followed_until = excluded.followed_until,
      followed_since = CASE WHEN t.followed_until > now() THEN t.followed_since ELSE excluded.followed_since END
    WHERE t.followed_until IS NULL OR t.followed_until < now() + make_interval(hours => ${KEPT_HOURS - NOTED_AFTER_HOURS})`.execute(
    db,
  );
  const { followed_since } = await db
    .selectFrom('usage_told')
    .select('followed_since')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return (followed_since as Date).getTime();
}

/** Records in one statement that homes are still followed; skips those that were updated recently. */
export async function followOn(db: Database, userIds: readonly string[]): Promise<void> {
  // Raw SQL: the server's clock.
  await sql`
    UPDATE usage_told SET followed_until = now() + make_interval(hours => ${KEPT_HOURS})
    WHERE user_id = ANY (${userIds}::text[])
      AND followed_until BETWEEN now() AND now() + make_interval(hours => ${KEPT_HOURS - NOTED_AFTER_HOURS})`.execute(
    db,
  );
}

/** The newest `usage.updated` of a user; `BEFORE_ALL` where there is none. */
export async function newestUsage(db: Database, userId: string): Promise<string> {
  const row = await db
    .selectFrom('events')
    .select('event_id')
    .where('type', '=', 'usage.updated')
    .where('user_id', '=', userId)
    .orderBy('event_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.event_id ?? BEFORE_ALL;
}

/**
 * Whether all that comes after an event of a user is still there: the event itself is, or, for `BEFORE_ALL`, the home has not been followed
 * for longer than events are kept.
 */
export async function isAllAfterThere(
  db: Database,
  userId: string,
  eventId: string,
  sinceMs: number,
): Promise<boolean> {
  if (eventId === BEFORE_ALL) return sinceMs > Date.now() - REACHES_BACK_DAYS * 86_400_000;
  const row = await db
    .selectFrom('events')
    .select('event_id')
    .where('event_id', '=', eventId)
    .where('user_id', '=', userId)
    .where('type', '=', 'usage.updated')
    .executeTakeFirst();
  return row !== undefined;
}

export interface ToldUsage {
  event_id: string;
  user_id: string;
  data: EventBody<'usage.updated'>;
}

/**
 * The next `usage.updated` of users, each after the event that is named with it, in order. Of one user they are committed in the order of their
 * ids: a worker that tells of it holds its row of `usage_told`, and a minute lies between two. (So the clocks of workers may differ by that.)
 */
export async function usageAfter(db: Database, after: ReadonlyMap<string, string>): Promise<ToldUsage[]> {
  // Raw SQL: a probe of the index for each of them.
  const { rows } = await sql<ToldUsage>`
    SELECT e.event_id, a.user_id, e.data FROM unnest(${[...after.keys()]}::text[], ${[...after.values()]}::text[]) a (user_id, event_id)
    CROSS JOIN LATERAL (SELECT event_id, data FROM events WHERE type = 'usage.updated' AND user_id = a.user_id AND event_id > a.event_id
      ORDER BY event_id LIMIT ${MAX_EVENTS}) e
    ORDER BY a.user_id, e.event_id`.execute(db);
  return rows;
}
