import type { EVENT_TYPES } from '#src/database/enums.ts';

export type EventType = (typeof EVENT_TYPES)[number];

/** Beside them what only one is told: a subscription's own test, that it was paused, and the old address that there is a new one. */
export type AnyEventType = EventType | 'webhook.test' | 'webhook.paused' | 'user.email_changed';

/** Something that happened. `data` is what its receivers get. */
export interface NewEvent {
  /** Where it is known before. */
  eventId?: string;
  type: AnyEventType;
  /** Whom it is about. */
  userId: string;
  data: Record<string, unknown>;
  /** Whether the user is told by e-mail or SMS, too. */
  channel?: 'email' | 'sms';
  /** Only this subscription gets it. */
  webhookId?: string;
}
