import type { Delivery, Webhook } from '#clients/typescript/client.ts';
import { words } from '../../words/words.ts';

export type EventType = Webhook['event'];
type Attempt = Delivery['attempts'][number];

/** What a person calls it. */
export const nameOf = ({ event, url }: Pick<Webhook, 'event' | 'url'>): string => words().webhooks.to({ event, url });

/** Outcome of an attempt: "HTTP 200", or what went wrong. */
export const outcomeOf = ({ error, response_status }: Attempt): string => error ?? `HTTP ${response_status}`;
