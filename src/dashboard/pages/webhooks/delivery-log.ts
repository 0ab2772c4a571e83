import { useEffect, useState } from 'preact/hooks';
import type { Delivery, Webhook } from '#clients/typescript/client.ts';
import { call, type Page } from '../../api.ts';
import { html } from '../../html.ts';
import { useAction } from '../../parts/load.ts';
import { Steps, usePages } from '../../parts/pages.ts';
import { rich } from '../../parts/rich.ts';
import { Card, Loading, Problem } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { DeliveryRow } from './delivery-row.ts';
import { nameOf } from './webhook.ts';

const SHOWN = 20;
/** How often the log is refreshed: while an attempt is near, and otherwise. */
const LOOK_MS = { near: 2_000, else: 15_000 };
const NEAR_MS = 10_000;

/** What was sent to a subscription and how it went, the youngest first; it follows by itself. `tests`: how many were sent. */
export function DeliveryLog({ of: webhook, zone, tests }: { of: Webhook; zone: string; tests: number }) {
  const { common, webhooks } = words();
  const w = webhooks.log;
  const pages = usePages<Delivery>(`/v1/webhooks/${webhook.webhook_id}/deliveries?limit=${SHOWN}`);
  const [open, setOpen] = useState<string | null>(null);
  const { run, error } = useAction();
  const { value, again } = pages.shown;
  const near = isNear(value?.rows ?? []);
  // A test that was sent, and a change of status, show here at once.
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
    run(async () => {
      await call('POST', `/v1/webhooks/${webhook.webhook_id}/deliveries/${delivery_id}/retry`);
      again();
    });
  const pending = value?.rows.filter(({ status }) => status === 'pending').length ?? 0;
  return html`<${Card} title=${webhooks.deliveries}>
    <p class="quiet">${rich(w.about({ name: nameOf(webhook) }))}</p>
    <p class="hidden" role="status">${pending === 0 ? '' : w.pending({ count: pending })}</p>
    <${Problem} text=${error} />
    <div tabindex="-1" ref=${pages.top} role="group" aria-label=${w.label}>
      <${Loading} of=${pages.shown}>
        ${({ rows }: Page<Delivery>) => (rows.length === 0 ? html`<p>${rich(w.empty)}</p>` : table(rows))}
      <//>
    </div>
    <${Steps} of=${pages} />
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

/** Whether something is tried soon, or now. */
const isNear = (rows: Delivery[]): boolean =>
  rows.some(({ next_attempt_at }) => next_attempt_at !== null && Date.parse(next_attempt_at) < Date.now() + NEAR_MS);
