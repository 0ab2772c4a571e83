import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import type { EventBody } from './bodies.ts';

/**
 * Time in hours for which events are created after a follower's last check, so that a follower who returns within a day has missed no
 * event.
 */
const TRACKED_HOURS = 24;
/** Minimum time in hours between two updates of a follower's timestamp, to avoid a write with every connection. */
const MIN_UPDATE_HOURS = 1;
/** Number of days for which every event is certainly stored: one day less than the retention period of 30 days (delivery/retention.ts). */
const STORED_DAYS = 29;
/** Maximum number of events of one home that are read at once. */
const MAX_EVENTS = 20;

/** Position in the list of events before every event. */
const BEFORE_ALL = 'evt_';

/**
 * Returns SQL that selects the followed users among the users of a relation (by its column `user_id`). Followed users get `usage.updated`
 * events even without a subscription.
 */
export const followedUsersSql = (relation: string): string =>
  `SELECT user_id FROM ${relation} JOIN usage_told USING (user_id) WHERE followed_until > now()`;

/**
 * Records that a home is followed. Returns the time (Unix ms) since which the home has been followed without a gap. Every later change of
 * the home's hours is contained in an event, or will be.
 */
export async function recordFollower(db: Database, userId: string): Promise<number> {
  // Raw SQL: all times come from the database server's clock, which workers and API processes share.
  await sql`
    INSERT INTO usage_told AS t (user_id, told_at, followed_since, followed_until)
    VALUES (${userId}, 'epoch', now(), now() + make_interval(hours => ${TRACKED_HOURS}))
    ON CONFLICT (user_id) DO UPDATE SET followed_until = excluded.followed_until,
      followed_since = CASE WHEN t.followed_until > now() THEN t.followed_since ELSE excluded.followed_since END
    WHERE t.followed_until IS NULL OR t.followed_until < now() + make_interval(hours => ${TRACKED_HOURS - MIN_UPDATE_HOURS})`.execute(
    db,
  );
  const { followed_since } = await db
    .selectFrom('usage_told')
    .select('followed_since')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return (followed_since as Date).getTime();
}

/** Records in one statement that homes are still followed. Skips homes whose record was updated recently. */
export async function refreshFollowers(db: Database, userIds: readonly string[]): Promise<void> {
  // Raw SQL: uses the database server's clock.
  await sql`
    UPDATE usage_told SET followed_until = now() + make_interval(hours => ${TRACKED_HOURS})
    WHERE user_id = ANY (${userIds}::text[])
      AND followed_until BETWEEN now() AND now() + make_interval(hours => ${TRACKED_HOURS - MIN_UPDATE_HOURS})`.execute(
    db,
  );
}

/** Returns the id of a user's newest `usage.updated` event; `BEFORE_ALL` if there is no such event. */
export async function findNewestUsageEvent(db: Database, userId: string): Promise<string> {
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
 * Whether all events of a user after a given event are still stored. For an event id, the event itself must still be stored. For
 * `BEFORE_ALL`, the home must have been followed for less time than events are retained.
 */
export async function areLaterEventsStored(
  db: Database,
  userId: string,
  eventId: string,
  sinceMs: number,
): Promise<boolean> {
  if (eventId === BEFORE_ALL) return sinceMs > Date.now() - STORED_DAYS * 86_400_000;
  const row = await db
    .selectFrom('events')
    .select('event_id')
    .where('event_id', '=', eventId)
    .where('user_id', '=', userId)
    .where('type', '=', 'usage.updated')
    .executeTakeFirst();
  return row !== undefined;
}

export interface PublishedUsage {
  event_id: string;
  user_id: string;
  data: EventBody<'usage.updated'>;
}

/**
 * Returns the next `usage.updated` events of users, in order. `after` maps each user to the id of an event; only later events are returned.
 * Events of one user are committed in the order of their ids: the worker that creates an event locks the user's row in `usage_told`, and at
 * least a minute lies between two events. The clocks of workers may therefore differ by up to a minute.
 */
export async function findUsageEventsAfter(
  db: Database,
  after: ReadonlyMap<string, string>,
): Promise<PublishedUsage[]> {
  // Raw SQL: one index lookup for each user.
  const { rows } = await sql<PublishedUsage>`
    SELECT e.event_id, a.user_id, e.data FROM unnest(${[...after.keys()]}::text[], ${[...after.values()]}::text[]) a (user_id, event_id)
    CROSS JOIN LATERAL (SELECT event_id, data FROM events WHERE type = 'usage.updated' AND user_id = a.user_id AND event_id > a.event_id
      ORDER BY event_id LIMIT ${MAX_EVENTS}) e
    ORDER BY a.user_id, e.event_id`.execute(db);
  return rows;
}
