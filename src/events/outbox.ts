import { newId } from '#src/core/ids.ts';
import type { Query } from '#src/database/connect.ts';
import { EVENT_TYPES } from '#src/database/enums.ts';
import type { NewEvent } from './bodies.ts';

const SUBSCRIBABLE: ReadonlySet<string> = new Set(EVENT_TYPES);

/**
 * Puts events and a delivery for each of their receivers into the outbox, in the transaction of what made them happen:
 * they are told if and only if that is committed. A subscription of a homeowner gets that user's events, a utility's
 * those of its users, an administrator's all; paused ones, too: what waits is sent when they are resumed. Returns the
 * identifiers, which stay the same however often an event is sent.
 */
export async function addEvents(query: Query, events: readonly NewEvent[], now: Date): Promise<string[]> {
  if (events.length === 0) return [];
  const ids = events.map(({ eventId }) => eventId ?? newId('evt'));
  // Raw SQL: the hot path of whatever happens: any number of events is one statement, by unnest.
  await query(
    `INSERT INTO events (event_id, type, user_id, data, created_at)
     SELECT event_id, type, user_id, data, $5 FROM unnest($1::text[], $2::text[], $3::text[], $4::jsonb[])
       e (event_id, type, user_id, data)`,
    [
      ids,
      events.map(({ type }) => type),
      events.map(({ userId }) => userId),
      events.map(({ data }) => JSON.stringify(data)),
      now,
    ],
  );
  const deliveries = await receivers(query, events, ids);
  if (deliveries.length === 0) return ids;
  await query(
    `INSERT INTO deliveries (delivery_id, event_id, webhook_id, target, next_attempt_at, created_at)
     SELECT delivery_id, event_id, webhook_id, target, $5, $5 FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
       WITH ORDINALITY d (delivery_id, event_id, webhook_id, target, place) ORDER BY place`,
    [
      deliveries.map(() => newId('dlv')),
      deliveries.map(({ eventId }) => eventId),
      deliveries.map(({ webhookId }) => webhookId),
      deliveries.map(({ target }) => target),
      now,
    ],
  );
  return ids;
}

/**
 * Takes back deliveries, made and to be made, to subscriptions whose owner no longer reaches whom they are about: those of an
 * account whose role was changed, and those about it.
 */
export async function takeBackDeliveries(query: Query, userId: string): Promise<void> {
  await query(
    `WITH concerned AS MATERIALIZED (
       SELECT delivery_id FROM webhooks JOIN deliveries USING (webhook_id) WHERE user_id = $1
       UNION SELECT delivery_id FROM events JOIN deliveries USING (event_id) WHERE user_id = $1)
     DELETE FROM deliveries d USING concerned c, webhooks w, events e, users o, users about
     WHERE d.delivery_id = c.delivery_id AND w.webhook_id = d.webhook_id AND e.event_id = d.event_id
       AND o.user_id = w.user_id AND about.user_id = e.user_id AND o.user_id <> about.user_id AND o.role <> 'admin'
       AND NOT (o.role = 'utility' AND about.role = 'homeowner' AND about.enrolled_by IS NOT DISTINCT FROM o.user_id)`,
    [userId],
  );
}

/** Pauses the active subscriptions of an account; returns their addresses. Resumed, they get what waited. */
export async function pauseSubscriptions(query: Query, userId: string): Promise<string[]> {
  const { rows } = await query<{ url: string }>(
    `UPDATE webhooks SET status = 'paused' WHERE user_id = $1 AND status = 'active' RETURNING url`,
    [userId],
  );
  return rows.map(({ url }) => url);
}

interface Receiver {
  eventId: string;
  webhookId: string | null;
  target: string;
}

async function receivers(query: Query, events: readonly NewEvent[], ids: readonly string[]): Promise<Receiver[]> {
  const told: Receiver[] = [];
  const asked: { eventId: string; type: string; userId: string }[] = [];
  for (const [index, { type, userId, channel, webhookId }] of events.entries()) {
    const eventId = ids[index] as string;
    if (channel) told.push({ eventId, webhookId: null, target: channel });
    if (webhookId) told.push({ eventId, webhookId, target: webhookId });
    else if (SUBSCRIBABLE.has(type)) asked.push({ eventId, type, userId });
  }
  if (asked.length === 0) return told;
  const { rows } = await query<{ event_id: string; webhook_id: string }>(
    `SELECT e.event_id, w.webhook_id
     FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY e (event_id, type, user_id, place)
     JOIN users u USING (user_id)
     CROSS JOIN LATERAL (${subscriptionsTo('e.type', 'u')}) w
     ORDER BY e.place, w.webhook_id`,
    [asked.map(({ eventId }) => eventId), asked.map(({ type }) => type), asked.map(({ userId }) => userId)],
  );
  for (const { event_id, webhook_id } of rows)
    told.push({ eventId: event_id, webhookId: webhook_id, target: webhook_id });
  return told;
}

/**
 * The subscriptions, in SQL, that get an event of a user (an alias of `users`): the user's own, its utility's, and those of
 * administrators. By owner, so that each is found by an index however many there are.
 */
export const subscriptionsTo = (event: string, user: string): string => `
  SELECT webhook_id FROM webhooks WHERE webhooks.user_id = ${user}.user_id AND event = ${event}
  UNION
  SELECT webhook_id FROM webhooks JOIN users o USING (user_id)
  WHERE o.user_id = ${user}.enrolled_by AND ${user}.role = 'homeowner' AND o.role = 'utility' AND event = ${event}
  UNION
  SELECT webhook_id FROM users o JOIN webhooks USING (user_id) WHERE o.role = 'admin' AND event = ${event}`;

/**
 * Those of a relation's users (its `user_id`), in SQL, of whom somebody gets such an event: what `subscriptionsTo` says of each, as a set, since
 * of a batch's thousands mostly nobody does. Where no utility and no administrator subscribed, their branches are not begun. Utilities that did are
 * found first and by themselves: what the planner believes of them may be days old, and it would pair each of them with each user.
 */
export const subscribedAmong = (relation: string, event: string): string => `
  SELECT user_id FROM ${relation} JOIN webhooks USING (user_id) WHERE event = ${event}
  UNION
  (WITH telling AS MATERIALIZED (SELECT DISTINCT o.user_id FROM webhooks JOIN users o USING (user_id) WHERE o.role = 'utility' AND event = ${event})
   SELECT u.user_id FROM ${relation} JOIN users u USING (user_id)
   WHERE u.role = 'homeowner' AND u.enrolled_by IN (SELECT user_id FROM telling) AND EXISTS (SELECT FROM telling))
  UNION
  SELECT user_id FROM ${relation} WHERE EXISTS (SELECT FROM webhooks JOIN users USING (user_id) WHERE role = 'admin' AND event = ${event})`;
