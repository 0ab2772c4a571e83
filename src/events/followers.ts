import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import type { EventBody } from './bodies.ts';

/**
 * Time in hours for which `usage.updated` events are still created after the last follower of a home (such as an open page) has
 * disconnected.
 */
const TRACKED_HOURS = 24;
/** Minimum time in hours between two updates of a home's follower record. */
const MIN_UPDATE_HOURS = 1;
/** Events of this number of days are certainly still stored: one day less than the retention of 30 days. */
const STORED_DAYS = 29;
/** Maximum number of events of one home that one query returns. */
const MAX_EVENTS = 20;

/** Represents the position before all events. */
const BEFORE_ALL = 'evt_';

/**
 * Returns SQL for the users of a relation (its column `user_id`) whose homes are followed, for example by an open page.
 * `usage.updated` events are created for them even without a subscription.
 */
export const usersWithFollowedHomesSql = (relation: string): string =>
  `SELECT user_id FROM ${relation} JOIN usage_told USING (user_id) WHERE followed_until > now()`;

/** Records that a home is followed. Returns the time (Unix ms) since which every change of the home's hours creates an event. */
export async function recordFollowedHome(db: Database, userId: string): Promise<number> {
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

/** Records that some homes are still followed, in one statement. Skips homes whose record was updated recently. */
export async function refreshFollowedHomes(db: Database, userIds: readonly string[]): Promise<void> {
  // Raw SQL: the times come from the database server's clock.
  await sql`
    UPDATE usage_told SET followed_until = now() + make_interval(hours => ${TRACKED_HOURS})
    WHERE user_id = ANY (${userIds}::text[])
      AND followed_until BETWEEN now() AND now() + make_interval(hours => ${TRACKED_HOURS - MIN_UPDATE_HOURS})`.execute(
    db,
  );
}

/** Returns the id of a user's newest `usage.updated` event; `BEFORE_ALL` if there is no such event. */
export async function findNewestUsageEventId(db: Database, userId: string): Promise<string> {
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
 * Whether all `usage.updated` events of a user after the event `eventId` are still stored. For `BEFORE_ALL`, `sinceMs` is the
 * time since which the home has been followed.
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

interface PublishedUsageEvent {
  event_id: string;
  user_id: string;
  data: EventBody<'usage.updated'>;
}

/**
 * Returns the next `usage.updated` events of users, in order. `after` contains the id of an event for each user; only later
 * events are returned. The order is reliable if the clocks of workers differ by at most a minute.
 */
export async function findUsageEventsAfter(
  db: Database,
  after: ReadonlyMap<string, string>,
): Promise<PublishedUsageEvent[]> {
  // Raw SQL: one index lookup for each user.
  const { rows } = await sql<PublishedUsageEvent>`
    SELECT e.event_id, a.user_id, e.data FROM unnest(${[...after.keys()]}::text[], ${[...after.values()]}::text[]) a (user_id, event_id)
    CROSS JOIN LATERAL (SELECT event_id, data FROM events WHERE type = 'usage.updated' AND user_id = a.user_id AND event_id > a.event_id
      ORDER BY event_id LIMIT ${MAX_EVENTS}) e
    ORDER BY a.user_id, e.event_id`.execute(db);
  return rows;
}
