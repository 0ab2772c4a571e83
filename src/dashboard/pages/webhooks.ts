import { useEffect, useState } from 'preact/hooks';
import type { Webhook } from '#clients/typescript/client.ts';
import { call, list } from '../api.ts';
import { html } from '../html.ts';
import { Rows } from '../parts/focus.ts';
import { useAction, useLoad } from '../parts/load.ts';
import { rich } from '../parts/rich.ts';
import { Card, Loading, Problem } from '../parts/ui.ts';
import { useSession } from '../session.ts';
import { words } from '../words/words.ts';
import { CreateWebhook } from './webhooks/create-webhook.ts';
import { DeliveryLog } from './webhooks/delivery-log.ts';
import { RotateSecret } from './webhooks/rotate-secret.ts';
import { type EventType, nameOf } from './webhooks/webhook.ts';
import { WebhookRow } from './webhooks/webhook-row.ts';

/** Webhooks: the subscriptions of the account that is signed in, whoever's data are looked at. */
export function Page() {
  const { me } = useSession();
  const { common, webhooks: w } = words();
  const webhooks = useLoad(() => list<Webhook>('/v1/webhooks?limit=200'), []);
  const [open, setOpen] = useState<'create' | Webhook | null>(() => (wanted() === null ? null : 'create'));
  const [picked, setPicked] = useState<string | null>(null);
  const [tests, setTests] = useState(0);
  const [told, setTold] = useState('');
  const { run, error } = useAction();
  const [first] = useState(() => wanted() ?? 'usage.updated');
  // Gone to anew it is not wanted again.
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
      () => call('PATCH', path(webhook), { status }),
      status === 'active' ? w.resumed({ name: nameOf(webhook) }) : w.paused({ name: nameOf(webhook) }),
    );
  const remove = (webhook: Webhook) => act(() => call('DELETE', path(webhook)), w.deleted({ name: nameOf(webhook) }));
  const test = (webhook: Webhook) => {
    const said = webhook.status === 'paused' ? w.testWaits({ url: webhook.url }) : w.testSent({ url: webhook.url });
    act(async () => {
      await call('POST', `${path(webhook)}/test`);
      setPicked(webhook.webhook_id);
      setTests(tests + 1);
    }, said);
  };
  return html`
    <h1>${common.pages.webhooks}</h1>
    <p>${w.about}</p>
    <${Card}
      title=${w.yours}
      actions=${html`<button type="button" class="main" onClick=${() => setOpen('create')}>${w.create}</button>`}
    >
      <${Problem} text=${error} />
      <p class="quiet told" role="status">${told}</p>
      <${Rows} label=${w.list}>
        <${Loading} of=${webhooks}>
          ${(all: Webhook[]) => (all.length === 0 ? empty() : table(all.toReversed()))}
        <//>
      <//>
    <//>
    ${log(webhooks.value?.toReversed() ?? [])}
    ${open === 'create' && html`<${CreateWebhook} event=${first} onMade=${webhooks.again} onClose=${close} />`}
    ${open !== null && open !== 'create' && html`<${RotateSecret} of=${open} onClose=${close} />`}
  `;

  /** The youngest first: identifiers grow with time. */
  function table(all: Webhook[]) {
    return html`<div class="table"><table>
      <thead><tr>
        <th scope="col">${w.webhook}</th><th scope="col">${common.status}</th><th scope="col">${common.made}</th><td></td>
      </tr></thead>
      <tbody>
        ${all.map(
          (webhook) => html`<${WebhookRow}
            key=${webhook.webhook_id}
            of=${webhook}
            zone=${me.timezone}
            isShown=${webhook === shown(all)}
            onShow=${() => setPicked(webhook.webhook_id)}
            onTest=${() => test(webhook)}
            onStatus=${(status: Webhook['status']) => change(webhook, status)}
            onRotate=${() => setOpen(webhook)}
            onDelete=${() => remove(webhook)}
          />`,
        )}
      </tbody>
    </table></div>`;
  }

  /** Whose log is shown: of the one that was picked, else of the youngest. */
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

/** The event that another page sent somebody here for (`?event=`). */
function wanted(): EventType | null {
  const event = new URLSearchParams(location.search).get('event');
  return event !== null && event in words().webhooks.events ? (event as EventType) : null;
}

const empty = () => html`<p>${words().webhooks.empty}</p>
  <ol>${Object.values(words().webhooks.firstSteps).map((step) => html`<li>${rich(step)}</li>`)}</ol>`;
