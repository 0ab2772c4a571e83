import { useId } from 'preact/hooks';
import type { Delivery } from '#clients/typescript/client.ts';
import { html } from '../../html.ts';
import { ago } from '../../parts/format.ts';
import { Badge, When } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { DeliveryDetails } from './delivery-details.ts';
import { outcomeOf } from './webhook.ts';

const KINDS = { pending: 'warn', succeeded: 'good', failed: 'bad' } as const;

/** One delivery in the log; opened, a row of its own below shows what was sent and what came back. */
export function DeliveryRow(props: {
  of: Delivery;
  webhookId: string;
  isPaused: boolean;
  zone: string;
  isOpen: boolean;
  onOpen: () => void;
  onRetry: () => void;
}) {
  const { of: delivery, webhookId, isPaused, zone, isOpen, onOpen, onRetry } = props;
  const { event, event_id, status, attempts } = delivery;
  const { common, webhooks } = words();
  const w = webhooks.log;
  const id = useId();
  const last = attempts.at(-1);
  const name = `${event} ${event_id}`;
  return html`<tr class=${isOpen ? 'opened' : ''}>
      <th scope="row" data-name=${webhooks.event}>${event}</th>
      <td data-name=${common.status}><${Badge} kind=${KINDS[status]}>${common.statuses[status]}<//></td>
      <td data-name=${w.tries}>${attempts.length}</td>
      <td data-name=${w.lastAnswer}>${last ? outcomeOf(last) : '–'}</td>
      <td data-name=${w.lastTry}><${When} at=${last?.at ?? null} zone=${zone} never="–" /></td>
      <td data-name=${w.nextTry}>${nextTry(delivery, isPaused)}</td>
      <td>
        <div class="actions">
          <button type="button" aria-expanded=${isOpen} aria-controls=${isOpen ? id : undefined} aria-label=${w.detailsOf({ name })} onClick=${onOpen}>${common.details}</button>
          ${status !== 'succeeded' && html`<button type="button" aria-label=${w.retryOf({ name })} onClick=${onRetry}>${w.retry}</button>`}
        </div>
      </td>
    </tr>
    ${
      isOpen &&
      html`<tr id=${id}><td colspan="7" class="whole">
        <${DeliveryDetails} webhookId=${webhookId} of=${delivery} zone=${zone} />
      </td></tr>`
    }`;
}

function nextTry({ status, next_attempt_at }: Delivery, isPaused: boolean): string {
  const w = words().webhooks.log;
  if (status !== 'pending') return '–';
  if (isPaused || next_attempt_at === null) return w.whenResumed;
  const seconds = Math.ceil((Date.parse(next_attempt_at) - Date.now()) / 1_000);
  if (seconds <= 0) return w.now;
  return seconds < 60 ? w.inSeconds({ seconds }) : ago(next_attempt_at);
}
