import { useEffect, useState } from 'preact/hooks';
import type { Delivery, Webhook } from '#clients/typescript/client.ts';
import { callApi } from '../api.ts';
import { html } from '../html.ts';
import { LoadedList, renderFirstSteps } from '../parts/list.ts';
import { useAction, useAll, useLoad } from '../parts/load.ts';
import { renderTable } from '../parts/table.ts';
import { Badge, Card, ConfirmButton, ErrorMessage, RelativeTime } from '../parts/ui.ts';
import { useSession } from '../session.ts';
import { words } from '../words/words.ts';
import { CreateWebhook, type EventType, RotateSecret, webhookName } from './webhooks/create-webhook.ts';
import { DeliveryLog } from './webhooks/delivery-log.ts';
import { pauseReasonOf } from './webhooks/webhook.ts';

/** Page with the webhook subscriptions of the signed-in account, whichever account is selected. */
export function Page() {
  const { me } = useSession();
  const { common, webhooks: w } = words();
  const webhooks = useAll<Webhook>('/v1/webhooks');
  const [open, setOpen] = useState<'create' | Webhook | null>(() => (wanted() === null ? null : 'create'));
  const [picked, setPicked] = useState<string | null>(null);
  const [tests, setTests] = useState(0);
  const [told, setTold] = useState('');
  const { run, error } = useAction();
  const [first] = useState(() => wanted() ?? 'usage.updated');
  // Removes the event from the address, so that a reload of the page does not open the dialog again.
  useEffect(() => history.replaceState(null, '', location.pathname), []);
  const close = () => setOpen(null);
  const path = ({ webhook_id }: Webhook) => `/v1/webhooks/${webhook_id}`;
  const act = (work: () => Promise<unknown>, said: string) =>
    run(async () => {
      await work();
      setTold(said);
      webhooks.again();
    });
  const change = (webhook: Webhook, status: Webhook['status']) =>
    act(
      () => callApi('PATCH', path(webhook), { status }),
      status === 'active' ? w.resumed({ name: webhookName(webhook) }) : w.paused({ name: webhookName(webhook) }),
    );
  const remove = (webhook: Webhook) =>
    act(() => callApi('DELETE', path(webhook)), w.deleted({ name: webhookName(webhook) }));
  const test = (webhook: Webhook) => {
    const notice = webhook.status === 'paused' ? w.testWaits({ url: webhook.url }) : w.testSent({ url: webhook.url });
    act(async () => {
      await callApi('POST', `${path(webhook)}/test`);
      setPicked(webhook.webhook_id);
      setTests(tests + 1);
    }, notice);
  };
  return html`
    <h1>${common.pages.webhooks}</h1>
    <p>${w.about}</p>
    <${Card}
      title=${w.yours}
      actions=${html`<button type="button" class="main" onClick=${() => setOpen('create')}>${w.create}</button>`}
    >
      <${ErrorMessage} text=${error} />
      <p class="quiet told" role="status">${told}</p>
      <${LoadedList} label=${w.list} of=${webhooks} empty=${renderFirstSteps(w.empty, w.firstSteps)}>${(all: Webhook[]) => table(all.toReversed())}<//>
    <//>
    ${log(webhooks.value?.toReversed() ?? [])}
    ${open === 'create' && html`<${CreateWebhook} event=${first} onMade=${webhooks.again} onClose=${close} />`}
    ${open !== null && open !== 'create' && html`<${RotateSecret} of=${open} onClose=${close} />`}
  `;

  /** Newest first: identifiers increase with time. */
  function table(all: Webhook[]) {
    const isActive = ({ status }: Webhook) => status === 'active';
    return renderTable(
      all,
      [
        [w.webhook, ({ events, url }) => html`<span>${events.join(', ')} <small class="quiet">${url}</small></span>`],
        [
          common.status,
          (webhook) => html`<span>
            <${Badge} kind=${isActive(webhook) ? 'good' : 'warn'}>${common.statuses[webhook.status]}<//>
            ${!isActive(webhook) && html`${' '}<${WhyPaused} webhookId=${webhook.webhook_id} />`}
          </span>`,
        ],
        [common.made, ({ created_at }) => html`<${RelativeTime} at=${created_at} zone=${me.timezone} />`],
      ],
      {
        key: ({ webhook_id }) => webhook_id,
        actions: (webhook) => {
          const name = webhookName(webhook);
          const [next, label, of] = isActive(webhook)
            ? (['paused', w.pause, w.pauseOf] as const)
            : (['active', w.resume, w.resumeOf] as const);
          return html`<button type="button" aria-pressed=${webhook === shown(all)} aria-label=${w.deliveriesOf({ name })} onClick=${() => setPicked(webhook.webhook_id)}>${w.deliveries}</button>
            <button type="button" aria-label=${w.sendTestOf({ name })} onClick=${() => test(webhook)}>${w.sendTest}</button>
            <button type="button" aria-label=${of({ name })} onClick=${() => change(webhook, next)}>${label}</button>
            <button type="button" aria-label=${w.rotateSecretOf({ name })} onClick=${() => setOpen(webhook)}>${w.rotateSecret}</button>
            <${ConfirmButton} label=${common.delete} of=${name} question=${w.deleteQuestion} onSure=${() => remove(webhook)} />`;
        },
      },
    );
  }

  /** Returns the subscription whose log is shown: the selected one or, by default, the newest. */
  function shown(all: Webhook[]): Webhook | undefined {
    return all.find(({ webhook_id }) => webhook_id === picked) ?? all[0];
  }

  function log(all: Webhook[]) {
    const webhook = shown(all);
    return (
      webhook && html`<${DeliveryLog} key=${webhook.webhook_id} of=${webhook} zone=${me.timezone} tests=${tests} />`
    );
  }
}

/** Returns the event in the address (`?event=`), which another page has set. */
function wanted(): EventType | null {
  const event = new URLSearchParams(location.search).get('event');
  return event !== null && event in words().webhooks.events ? (event as EventType) : null;
}

/** Number of deliveries that are examined. The service pauses a subscription after as many consecutive failures. */
const LOOKED_AT = 20;

function WhyPaused({ webhookId }: { webhookId: string }) {
  const log = useLoad(
    () => callApi<Delivery[]>('GET', `/v1/webhooks/${webhookId}/deliveries?limit=${LOOKED_AT}`),
    [webhookId],
  );
  return log.value === null ? null : html`<small class="quiet">${pauseReasonOf(log.value)}</small>`;
}
