import { useEffect } from 'preact/hooks';
import type { Delivery } from '#clients/typescript/client.ts';
import type { SentDelivery } from '#src/api/dashboard/shapes.ts';
import { call } from '../../api.ts';
import { html } from '../../html.ts';
import { time } from '../../parts/format.ts';
import { useLoad } from '../../parts/load.ts';
import { rich } from '../../parts/rich.ts';
import { Badge, Loading } from '../../parts/ui.ts';
import { count } from '../../words/locale.ts';
import { words } from '../../words/words.ts';
import { outcomeOf } from './webhook.ts';

/** The body that is sent, and the receiver's answer to each attempt. */
export function DeliveryDetails({ webhookId, of, zone }: { webhookId: string; of: Delivery; zone: string }) {
  const { delivery_id, attempts } = of;
  const w = words().webhooks.exchange;
  const sent = useLoad(
    () => call<SentDelivery>('GET', `/v1/webhooks/${webhookId}/deliveries/${delivery_id}/exchange`),
    [webhookId, delivery_id],
  );
  // Tried once more meanwhile: what is shown stays until the new answer is there.
  useEffect(() => {
    if (sent.value && sent.value.attempts.length !== attempts.length) sent.again();
  }, [attempts.length]);
  return html`<${Loading} of=${sent}>
    ${({ request, attempts: tries }: SentDelivery) => html`<div class="exchange">
      <section aria-label=${w.request}>
        <h3>${w.sent}</h3>
        <pre tabindex="0" role="group" aria-label=${w.firstLines}><code>${headOf(request)}</code></pre>
        <p class="quiet">${rich(w.madeAnew)}</p>
        <pre tabindex="0" role="group" aria-label=${w.body}><code>${indented(request.body)}</code></pre>
        <p class="quiet">${w.indented}</p>
      </section>
      <section aria-label=${w.answers}>
        <h3>${w.cameBack}</h3>
        ${tries.length === 0 && html`<p class="quiet">${w.none}</p>`}
        <ol>
          ${tries.toReversed().map(
            (one) => html`<li>
              <p><${Badge} kind=${one.error === null ? 'good' : 'bad'}>${outcomeOf(one)}<//> ${w.after({ milliseconds: count(one.duration_ms) })}
                ${' '}<time datetime=${one.at}>${time(one.at, zone)}</time></p>
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
