import { useId } from 'preact/hooks';
import type { Delivery } from '#clients/typescript/client.ts';
import { html } from '../../html.ts';
import { ago } from '../../parts/format.ts';
import { Badge, When } from '../../parts/ui.ts';
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
  const id = useId();
  const last = attempts.at(-1);
  const name = `${event} ${event_id}`;
  return html`<tr class=${isOpen ? 'opened' : ''}>
      <th scope="row" data-name="Event">${event}</th>
      <td data-name="Status"><${Badge} kind=${KINDS[status]}>${status}<//></td>
      <td data-name="Tries">${attempts.length}</td>
      <td data-name="Last answer">${last ? outcomeOf(last) : '–'}</td>
      <td data-name="Last try"><${When} at=${last?.at ?? null} zone=${zone} never="–" /></td>
      <td data-name="Next try">${nextTry(delivery, isPaused)}</td>
      <td>
        <div class="actions">
          <button type="button" aria-expanded=${isOpen} aria-controls=${isOpen ? id : undefined} aria-label=${`Details: ${name}`} onClick=${onOpen}>Details</button>
          ${status !== 'succeeded' && html`<button type="button" aria-label=${`Retry: ${name}`} onClick=${onRetry}>Retry</button>`}
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
  if (status !== 'pending') return '–';
  if (isPaused || next_attempt_at === null) return 'when resumed';
  const seconds = Math.ceil((Date.parse(next_attempt_at) - Date.now()) / 1_000);
  if (seconds <= 0) return 'now';
  return seconds < 60 ? `in ${seconds} s` : ago(next_attempt_at);
}
