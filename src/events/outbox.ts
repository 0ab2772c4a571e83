import { newId } from '#src/core/ids.ts';
import type { Database } from '#src/database/connect.ts';

/** What the service tells of (specification, Events). */
export const EVENT_TYPES = ['usage.updated', 'alert.triggered', 'device.connected', 'user.created'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/**
 * Puts an event into the outbox, in the transaction of what made it happen: it is told if and only if that is committed.
 * `userId`: whom it is about. Returns its identifier, which every delivery carries.
 */
export async function addEvent(
  db: Database,
  event: { type: EventType; userId: string; data: Record<string, unknown> },
): Promise<string> {
  const event_id = newId('evt');
  await db
    .insertInto('events')
    .values({
      event_id,
      type: event.type,
      user_id: event.userId,
      data: JSON.stringify(event.data),
      dispatched_at: null,
    })
    .execute();
  return event_id;
}
