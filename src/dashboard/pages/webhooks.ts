import { useEffect, useState } from 'preact/hooks';
import type { Delivery, Webhook } from '#clients/typescript/client.ts';
import { callApi } from '../api.ts';
import { type Children, html } from '../html.ts';
import { ListCard, renderEmptyList, useListChanges } from '../parts/list.ts';
import { useAllPages, useLoad } from '../parts/load.ts';
import { renderTable } from '../parts/table.ts';
import { Badge, ConfirmButton, RelativeTime } from '../parts/ui.ts';
import { useSession } from '../session.ts';
import { words } from '../words/words.ts';
import { CreateWebhookDialog, type EventType, getWebhookName, RotateSecretDialog } from './webhooks/create-webhook.ts';
import { DeliveryLog } from './webhooks/delivery-log.ts';
import { getPauseReason } from './webhooks/webhook.ts';

/** Page with the webhook subscriptions of the signed-in account. */
export function Page() {
  const { me } = useSession();
  const { common, webhooks: w } = words();
  const webhooks = useAllPages<Webhook>('/v1/webhooks');
  const [wanted] = useState(eventInAddress);
  const [open, setOpen] = useState<'create' | Webhook | null>(wanted === null ? null : 'create');
  const [picked, setPicked] = useState<string | null>(null);
  const [tests, setTests] = useState(0);
  const { change, told, error } = useListChanges(webhooks);
  // Removes the event from the page's address, so that a reload does not open the dialog again.
  useEffect(() => history.replaceState(null, '', location.pathname), []);
  const close = () => setOpen(null);
  // Newest first, because ids increase with time.
  const all = webhooks.value?.toReversed() ?? [];
  const shown = all.find(({ webhook_id }) => webhook_id === picked) ?? all[0];
  const test = ({ webhook_id, status, url }: Webhook) =>
    change(
      async () => {
        await callApi('POST', `/v1/webhooks/${webhook_id}/test`);
        setPicked(webhook_id);
        setTests(tests + 1);
      },
      status === 'paused' ? w.testWaits({ url }) : w.testSent({ url }),
    );
  return html`
    <h1>${common.pages.webhooks}</h1>
    <p>${w.about}</p>
    <${ListCard} title=${w.yours} create=${w.create} onCreate=${() => setOpen('create')} error=${error} told=${told}
      label=${w.list} of=${webhooks} empty=${renderEmptyList(w.empty, w.firstSteps)}>
      ${() => html`<${WebhookTable} of=${all} actions=${actions} />`}
    <//>
    ${shown && html`<${DeliveryLog} key=${shown.webhook_id} of=${shown} zone=${me.timezone} tests=${tests} />`}
    ${open === 'create' && html`<${CreateWebhookDialog} event=${wanted ?? 'usage.updated'} onMade=${webhooks.again} onClose=${close} />`}
    ${open !== null && open !== 'create' && html`<${RotateSecretDialog} of=${open} onClose=${close} />`}
  `;

  function actions(webhook: Webhook) {
    const name = getWebhookName(webhook);
    const path = `/v1/webhooks/${webhook.webhook_id}`;
    const [status, label, of, changed] =
      webhook.status === 'active'
        ? (['paused', words().common.pause, w.pauseOf, w.paused] as const)
        : (['active', words().common.resume, w.resumeOf, w.resumed] as const);
    return html`<button type="button" aria-pressed=${webhook === shown} aria-label=${w.deliveriesOf({ name })} onClick=${() => setPicked(webhook.webhook_id)}>${w.deliveries}</button>
      <button type="button" aria-label=${w.sendTestOf({ name })} onClick=${() => test(webhook)}>${w.sendTest}</button>
      <button type="button" aria-label=${of({ name })} onClick=${() => change(() => callApi('PATCH', path, { status }), changed({ name }))}>${label}</button>
      <button type="button" aria-label=${w.rotateSecretOf({ name })} onClick=${() => setOpen(webhook)}>${w.rotateSecret}</button>
      <${ConfirmButton} label=${common.delete} of=${name} question=${w.deleteQuestion}
        onSure=${() => change(() => callApi('DELETE', path), words().common.deleted({ name }))} />`;
  }
}

function WebhookTable({ of: all, actions }: { of: Webhook[]; actions: (webhook: Webhook) => Children }) {
  const { me } = useSession();
  const { common, webhooks: w } = words();
  return renderTable(
    all,
    [
      [w.webhook, ({ events, url }) => html`<span>${events.join(', ')} <small class="quiet">${url}</small></span>`],
      [
        common.status,
        (webhook) => html`<span>
            <${Badge} kind=${webhook.status === 'active' ? 'good' : 'warn'}>${common.statuses[webhook.status]}<//>
            ${webhook.status === 'paused' && html`${' '}<${WhyPaused} webhookId=${webhook.webhook_id} />`}
          </span>`,
      ],
      [common.made, ({ created_at }) => html`<${RelativeTime} at=${created_at} zone=${me.timezone} />`],
    ],
    { key: ({ webhook_id }) => webhook_id, actions },
  );
}

/** Returns the event type in the page's address (`?event=`). */
function eventInAddress(): EventType | null {
  const event = new URLSearchParams(location.search).get('event');
  return event !== null && event in words().webhooks.events ? (event as EventType) : null;
}

/** Number of latest deliveries that the page loads. After this number of consecutive failures, the service pauses a subscription. */
const LOOKED_AT = 20;

function WhyPaused({ webhookId }: { webhookId: string }) {
  const log = useLoad(
    () => callApi<Delivery[]>('GET', `/v1/webhooks/${webhookId}/deliveries?limit=${LOOKED_AT}`),
    [webhookId],
  );
  return log.value === null ? null : html`<small class="quiet">${getPauseReason(log.value)}</small>`;
}
