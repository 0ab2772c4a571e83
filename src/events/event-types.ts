import type { z } from 'zod';
import type { EVENT_TYPES } from '#src/database/enums.ts';
import type { EVENT_BODIES } from './bodies.ts';

export type EventType = (typeof EVENT_TYPES)[number];

/** `data` of an event that can be subscribed to. */
export type EventBody<Type extends EventType> = z.output<(typeof EVENT_BODIES)[Type]>;

type Subscribable = { [Type in EventType]: { type: Type; data: EventBody<Type> } }[EventType];

/**
 * In addition, events with one fixed receiver: a subscription's test and its pause; to the old address of an account that a change was
 * requested and that it took effect, and to the new one its link; to an owner that an update changed totals, that a key will end, and which
 * keys and sessions of the account were ended.
 */
interface Addressed {
  type:
    | 'webhook.test'
    | 'webhook.paused'
    | 'user.email_requested'
    | 'user.email_to_confirm'
    | 'user.email_changed'
    | 'access.ended'
    | 'home.recounted'
    | 'key.expiring';
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
