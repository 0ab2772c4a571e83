import type { Delivery, Webhook } from '#clients/typescript/client.ts';

export type EventType = Webhook['event'];
type Attempt = Delivery['attempts'][number];

/** What can be subscribed to, with when it comes; a test holds the names to what the service tells of. */
export const EVENTS: Record<EventType, string> = {
  'usage.updated': 'when hours of usage changed, at most once a minute',
  'alert.triggered': 'when an alert fires',
  'device.connected': 'when a device sends for the first time',
  'user.created': 'when an account is made',
};

/** What a person calls it. */
export const nameOf = ({ event, url }: Pick<Webhook, 'event' | 'url'>): string => `${event} to ${url}`;

/** Outcome of an attempt: "HTTP 200", or what went wrong. */
export const outcomeOf = ({ error, response_status }: Attempt): string => error ?? `HTTP ${response_status}`;
