import { useEffect, useId, useState } from 'preact/hooks';
import type { Delivery, Webhook } from '#clients/typescript/client.ts';
import type { SentDelivery } from '#src/api/dashboard/shapes.ts';
import { callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { formatTime, formatTimeAgo } from '../../parts/format.ts';
import { PagedList } from '../../parts/list.ts';
import { useAction, useLoad, usePages } from '../../parts/load.ts';
import { Badge, Card, ErrorMessage, LoadedContent, RelativeTime, renderInlineMarkup } from '../../parts/ui.ts';
import { count } from '../../words/locale.ts';
import { words } from '../../words/words.ts';
import { getWebhookName } from './create-webhook.ts';
import { getAttemptOutcome } from './webhook.ts';

const SHOWN = 20;
/** Interval at which the log is refreshed, in ms: `near` if the next attempt of a delivery is due soon, `else` otherwise. */
const LOOK_MS = { near: 2_000, else: 15_000 };
const NEAR_MS = 10_000;

/**
 * Log of the deliveries of a webhook subscription, newest first. `tests`: number of test deliveries that the user has sent from this page.
 */
export function DeliveryLog({ of: webhook, zone, tests }: { of: Webhook; zone: string; tests: number }) {
  const { common, webhooks } = words();
  const w = webhooks.log;
  const pages = usePages<Delivery>(`/v1/webhooks/${webhook.webhook_id}/deliveries?limit=${SHOWN}`);
  const [open, setOpen] = useState<string | null>(null);
  const { run, error } = useAction();
  const { value, again } = pages.shown;
  const near = isNear(value?.rows ?? []);
  // Refreshes the log after a test delivery, or after a change of the subscription's status.
  useEffect(() => void (value && pages.youngest()), [tests]);
  useEffect(() => void (value && again()), [webhook.status]);
  useEffect(() => {
    const timer = setInterval(
      () => document.visibilityState === 'visible' && again(),
      near ? LOOK_MS.near : LOOK_MS.else,
    );
    return () => clearInterval(timer);
  }, [near, again]);
  const retry = ({ delivery_id }: Delivery) =>
    run(() => callApi('POST', `/v1/webhooks/${webhook.webhook_id}/deliveries/${delivery_id}/retry`).then(again));
  const pending = value?.rows.filter(({ status }) => status === 'pending').length ?? 0;
  return html`<${Card} title=${webhooks.deliveries}>
    <p class="quiet">${renderInlineMarkup(w.about({ name: getWebhookName(webhook) }))}</p>
    <p class="hidden" role="status">${pending === 0 ? '' : w.pending({ count: pending })}</p>
    <${ErrorMessage} text=${error} />
    <${PagedList} of=${pages} label=${w.label} empty=${html`<p>${renderInlineMarkup(w.empty)}</p>`}>${table}<//>
  <//>`;

  function table(rows: Delivery[]) {
    return html`<div class="table"><table>
      <thead><tr>
        <th scope="col">${webhooks.event}</th><th scope="col">${common.status}</th><th scope="col">${w.tries}</th><th scope="col">${w.lastAnswer}</th>
        <th scope="col">${w.lastTry}</th><th scope="col">${w.nextTry}</th><td></td>
      </tr></thead>
      <tbody>
        ${rows.map(
          (one) => html`<${DeliveryRow}
            key=${one.delivery_id}
            of=${one}
            webhookId=${webhook.webhook_id}
            isPaused=${webhook.status === 'paused'}
            zone=${zone}
            isOpen=${open === one.delivery_id}
            onOpen=${() => setOpen(open === one.delivery_id ? null : one.delivery_id)}
            onRetry=${() => retry(one)}
          />`,
        )}
      </tbody>
    </table></div>`;
  }
}

/** Returns whether an attempt of a delivery is running or due soon. */
const isNear = (rows: Delivery[]): boolean =>
  rows.some(({ next_attempt_at }) => next_attempt_at !== null && Date.parse(next_attempt_at) < Date.now() + NEAR_MS);

const KINDS = { pending: 'warn', succeeded: 'good', failed: 'bad' } as const;

/** Table row of a delivery. A second row shows the request and the responses if the user opens it. */
function DeliveryRow(props: {
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
      <td data-name=${w.lastAnswer}>${last ? getAttemptOutcome(last) : '–'}</td>
      <td data-name=${w.lastTry}><${RelativeTime} at=${last?.at ?? null} zone=${zone} never="–" /></td>
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
  return seconds < 60 ? w.inSeconds({ seconds }) : formatTimeAgo(next_attempt_at);
}

/** The request body of a delivery, and the receiver's response to each attempt. */
function DeliveryDetails({ webhookId, of, zone }: { webhookId: string; of: Delivery; zone: string }) {
  const { delivery_id, attempts } = of;
  const w = words().webhooks.exchange;
  const sent = useLoad(
    () => callApi<SentDelivery>('GET', `/v1/webhooks/${webhookId}/deliveries/${delivery_id}/exchange`),
    [webhookId, delivery_id],
  );
  // If there was a new attempt, loads the responses again. The earlier responses are shown meanwhile.
  useEffect(() => {
    if (sent.value && sent.value.attempts.length !== attempts.length) sent.again();
  }, [attempts.length]);
  return html`<${LoadedContent} of=${sent}>
    ${({ request, attempts: tries }: SentDelivery) => html`<div class="exchange">
      <section aria-label=${w.request}>
        <h3>${words().webhooks.exchange.request}</h3>
        <pre tabindex="0" role="group" aria-label=${w.firstLines}><code>${headOf(request)}</code></pre>
        <p class="quiet">${renderInlineMarkup(w.madeAnew)}</p>
        <pre tabindex="0" role="group" aria-label=${w.body}><code>${indented(request.body)}</code></pre>
        <p class="quiet">${w.indented}</p>
      </section>
      <section aria-label=${w.answers}>
        <h3>${w.cameBack}</h3>
        ${tries.length === 0 && html`<p class="quiet">${w.none}</p>`}
        <ol>
          ${tries.toReversed().map(
            (one) => html`<li>
              <p><${Badge} kind=${one.error === null ? 'good' : 'bad'}>${getAttemptOutcome(one)}<//> ${w.after({ milliseconds: count(one.duration_ms) })}
                ${' '}<time datetime=${one.at}>${formatTime(one.at, zone)}</time></p>
              ${
                one.response_body
                  ? html`<pre tabindex="0" role="group" aria-label=${w.answer}><code>${one.response_body}</code></pre>`
                  : html`<p class="quiet">${one.response_status === null ? w.noAnswer : w.emptyBody}</p>`
              }
            </li>`,
          )}
        </ol>
      </section>
    </div>`}
  <//>`;
}

const headOf = ({ url, headers }: SentDelivery['request']): string =>
  [`POST ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join('\n');

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
