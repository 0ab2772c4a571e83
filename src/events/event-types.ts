import type { z } from 'zod';
import type { EVENT_TYPES } from '#src/database/enums.ts';
import type { EVENT_BODIES } from './bodies.ts';

export type EventType = (typeof EVENT_TYPES)[number];

/** `data` of an event that can be subscribed to. */
export type EventBody<Type extends EventType> = z.output<(typeof EVENT_BODIES)[Type]>;

type Subscribable = { [Type in EventType]: { type: Type; data: EventBody<Type> } }[EventType];

/**
 * In addition, events with one fixed receiver: a subscription's test, its pause, an old address' notice of the new one, and an owner's of
 * totals that an update changed and of a key that will end.
 */
interface Addressed {
  type: 'webhook.test' | 'webhook.paused' | 'user.email_changed' | 'home.recounted' | 'key.expiring';
  data: Record<string, unknown>;
}

/** An event to record. `data` is what its receivers get. */
export type NewEvent = (Subscribable | Addressed) & {
  /** Set where the id was given out before. */
  eventId?: string;
  /** The account that it is about. */
  userId: string;
  /** Also notify the user this way. */
  channel?: 'email' | 'sms';
  /** Only this subscription gets it. */
  webhookId?: string;
};
