import type { Delivery } from '#clients/typescript/client.ts';
import { words } from '../../words/words.ts';
import { outcomeOf } from './webhook.ts';

/** Why a subscription is paused, as far as its log tells: the service pauses after a try that failed, and only then. Pure. */
export function whyPaused(deliveries: Delivery[]): string {
  const last = deliveries
    .flatMap(({ attempts }) => attempts)
    .reduce<Delivery['attempts'][number] | null>((a, b) => (a === null || b.at > a.at ? b : a), null);
  return last === null || last.error === null
    ? words().webhooks.byHand
    : words().webhooks.lastTry({ outcome: outcomeOf(last) });
}
