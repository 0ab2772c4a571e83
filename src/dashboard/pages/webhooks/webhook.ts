export type EventType = 'usage.updated' | 'alert.triggered' | 'device.connected' | 'user.created';

/** A subscription as the list of them shows it. */
export interface Webhook {
  webhook_id: string;
  event: EventType;
  url: string;
  status: 'active' | 'paused';
  created_at: string;
}

interface Attempt {
  at: string;
  response_status: number | null;
  duration_ms: number;
  error: string | null;
}

/** A delivery as the log shows it. */
export interface Delivery {
  delivery_id: string;
  event_id: string;
  event: string;
  status: 'pending' | 'succeeded' | 'failed';
  next_attempt_at: string | null;
  attempts: Attempt[];
}

/** One with what is sent and what came back. */
export interface SentDelivery extends Omit<Delivery, 'attempts'> {
  request: { url: string; headers: Record<string, string>; body: string };
  attempts: (Attempt & { response_body: string | null })[];
}

/** What can be subscribed to, with when it comes; a test holds the names to what the service tells of. */
export const EVENTS: Record<EventType, string> = {
  'usage.updated': 'when hours of usage changed, at most once a minute',
  'alert.triggered': 'when an alert fires',
  'device.connected': 'when a device sends for the first time',
  'user.created': 'when an account is made',
};

/** What a person calls it. */
export const nameOf = ({ event, url }: Pick<Webhook, 'event' | 'url'>): string => `${event} to ${url}`;

/** What a try came to: "HTTP 200", or what went wrong. */
export const outcomeOf = ({ error, response_status }: Attempt): string => error ?? `HTTP ${response_status}`;
