import { useEffect } from 'preact/hooks';
import type { Delivery } from '#clients/typescript/client.ts';
import type { SentDelivery } from '#src/api/dashboard/shapes.ts';
import { call } from '../../api.ts';
import { html } from '../../html.ts';
import { time } from '../../parts/format.ts';
import { useLoad } from '../../parts/load.ts';
import { Badge, Loading } from '../../parts/ui.ts';
import { outcomeOf } from './webhook.ts';

/** The body that is sent, and the receiver's answer to each attempt. */
export function DeliveryDetails({ webhookId, of, zone }: { webhookId: string; of: Delivery; zone: string }) {
  const { delivery_id, attempts } = of;
  const sent = useLoad(
    () => call<SentDelivery>('GET', `/v1/webhooks/${webhookId}/deliveries/${delivery_id}`),
    [webhookId, delivery_id],
  );
  // Tried once more meanwhile: what is shown stays until the new answer is there.
  useEffect(() => {
    if (sent.value && sent.value.attempts.length !== attempts.length) sent.again();
  }, [attempts.length]);
  return html`<${Loading} of=${sent}>
    ${({ request, attempts: tries }: SentDelivery) => html`<div class="exchange">
      <section aria-label="Request">
        <h3>What is sent</h3>
        <pre tabindex="0" role="group" aria-label="Request, its first lines"><code>${headOf(request)}</code></pre>
        <p class="quiet">And, made anew at each try: <code>webhook-timestamp</code> and <code>webhook-signature</code>.</p>
        <pre tabindex="0" role="group" aria-label="Request, its body"><code>${indented(request.body)}</code></pre>
        <p class="quiet">Indented here; it is sent, and signed, without blanks.</p>
      </section>
      <section aria-label="Answers">
        <h3>What came back</h3>
        ${tries.length === 0 && html`<p class="quiet">Not attempted yet.</p>`}
        <ol>
          ${tries.toReversed().map(
            (one) => html`<li>
              <p><${Badge} kind=${one.error === null ? 'good' : 'bad'}>${outcomeOf(one)}<//> after ${one.duration_ms} ms,
                ${' '}<time datetime=${one.at}>${time(one.at, zone)}</time></p>
              ${
                one.response_body
                  ? html`<pre tabindex="0" role="group" aria-label="Answer, the beginning of its body"><code>${one.response_body}</code></pre>`
                  : html`<p class="quiet">${one.response_status === null ? 'There was no answer.' : 'Its body was empty.'}</p>`
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
