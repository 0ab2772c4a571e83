import { createId } from '#src/core/ids.ts';
import type { QueryFunction } from '#src/database/connect.ts';
import { EVENT_TYPES } from '#src/database/enums.ts';
import type { NewEvent } from './bodies.ts';

const SUBSCRIBABLE: ReadonlySet<string> = new Set(EVENT_TYPES);

/**
 * Stores events, with a delivery for each receiver, in the transaction of the change that the events report. A homeowner's subscription
 * gets the events of that user, a utility's subscription gets those of its users, and an administrator's subscription gets all. Deliveries
 * to a paused subscription are sent when it is resumed. Returns the ids of the events.
 */
export async function addEvents(query: QueryFunction, events: readonly NewEvent[], now: Date): Promise<string[]> {
  if (events.length === 0) return [];
  const ids = events.map(({ eventId }) => eventId ?? createId('evt'));
  // Raw SQL: one statement with `unnest` inserts any number of events.
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
      deliveries.map(() => createId('dlv')),
      deliveries.map(({ eventId }) => eventId),
      deliveries.map(({ webhookId }) => webhookId),
      deliveries.map(({ target }) => target),
      now,
    ],
  );
  return ids;
}

/**
 * Deletes deliveries to subscriptions whose owner may no longer access the account that the event is about. Must be called after
 * the role of the account `userId` has changed.
 */
export async function cancelDeliveries(query: QueryFunction, userId: string): Promise<void> {
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

/** Pauses the active webhook subscriptions of an account, and returns their URLs. */
export async function pauseWebhookSubscriptions(query: QueryFunction, userId: string): Promise<string[]> {
  const { rows } = await query<{ url: string }>(
    `UPDATE webhooks SET status = 'paused' WHERE user_id = $1 AND status = 'active' AND NOT is_notice RETURNING url`,
    [userId],
  );
  return rows.map(({ url }) => url);
}

interface Receiver {
  eventId: string;
  webhookId: string | null;
  target: string;
}

async function receivers(
  query: QueryFunction,
  events: readonly NewEvent[],
  ids: readonly string[],
): Promise<Receiver[]> {
  const found: Receiver[] = [];
  const asked: { eventId: string; type: string; userId: string }[] = [];
  for (const [index, { type, userId, channel, webhookId }] of events.entries()) {
    const eventId = ids[index] as string;
    if (channel) found.push({ eventId, webhookId: null, target: channel });
    if (webhookId) found.push({ eventId, webhookId, target: webhookId });
    else if (SUBSCRIBABLE.has(type)) asked.push({ eventId, type, userId });
  }
  if (asked.length === 0) return found;
  const { rows } = await query<{ event_id: string; webhook_id: string }>(
    `SELECT e.event_id, w.webhook_id
     FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY e (event_id, type, user_id, place)
     JOIN users u USING (user_id)
     CROSS JOIN LATERAL (${userEventSubscriptionsSql('e.type', 'u')}) w
     ORDER BY e.place, w.webhook_id`,
    [asked.map(({ eventId }) => eventId), asked.map(({ type }) => type), asked.map(({ userId }) => userId)],
  );
  for (const { event_id, webhook_id } of rows)
    found.push({ eventId: event_id, webhookId: webhook_id, target: webhook_id });
  return found;
}

/** Returns SQL for the subscriptions that get an event about a user. `user`: alias of the user's row in `users`. */
export const userEventSubscriptionsSql = (event: string, user: string): string => `
  SELECT webhook_id FROM webhooks WHERE webhooks.user_id = ${user}.user_id AND ${event} = ANY (webhooks.events)
  UNION
  SELECT webhook_id FROM webhooks JOIN users o USING (user_id)
  WHERE o.user_id = ${user}.enrolled_by AND ${user}.role = 'homeowner' AND o.role = 'utility' AND ${event} = ANY (webhooks.events)
  UNION
  SELECT webhook_id FROM users o JOIN webhooks USING (user_id) WHERE o.role = 'admin' AND ${event} = ANY (webhooks.events)`;

/**
 * Returns SQL for the users of a relation (its column `user_id`) whose events have a receiver. The subscribed utilities are found
 * in a subquery; otherwise the planner might join each utility with each user.
 */
export const usersWithEventReceiversSql = (relation: string, event: string): string => `
  SELECT user_id FROM ${relation} JOIN webhooks USING (user_id) WHERE ${event} = ANY (webhooks.events)
  UNION
  (WITH telling AS MATERIALIZED (SELECT DISTINCT o.user_id FROM webhooks JOIN users o USING (user_id) WHERE o.role = 'utility' AND ${event} = ANY (webhooks.events))
   SELECT u.user_id FROM ${relation} JOIN users u USING (user_id)
   WHERE u.role = 'homeowner' AND u.enrolled_by IN (SELECT user_id FROM telling) AND EXISTS (SELECT FROM telling))
  UNION
  SELECT user_id FROM ${relation} WHERE EXISTS (SELECT FROM webhooks JOIN users USING (user_id) WHERE role = 'admin' AND ${event} = ANY (webhooks.events))`;
