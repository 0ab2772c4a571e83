import type { EVENT_TYPES } from '#src/database/enums.ts';

export type EventType = (typeof EVENT_TYPES)[number];

/**
 * In addition, events with one fixed receiver: a subscription's test, its pause, an old address' notice of the new one, and an owner's of
 * totals that an update changed.
 */
type AnyEventType = EventType | 'webhook.test' | 'webhook.paused' | 'user.email_changed' | 'home.recounted';

/** An event to record. `data` is what its receivers get. */
export interface NewEvent {
  /** Set where the id was given out before. */
  eventId?: string;
  type: AnyEventType;
  /** The account that it is about. */
  userId: string;
  data: Record<string, unknown>;
  /** Also notify the user this way. */
  channel?: 'email' | 'sms';
  /** Only this subscription gets it. */
  webhookId?: string;
}
