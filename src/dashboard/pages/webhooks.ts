import { useEffect, useState } from 'preact/hooks';
import type { Webhook } from '#clients/typescript/client.ts';
import { call, list } from '../api.ts';
import { html } from '../html.ts';
import { Rows } from '../parts/focus.ts';
import { useAction, useLoad } from '../parts/load.ts';
import { Card, Loading, Problem } from '../parts/ui.ts';
import { useSession } from '../session.ts';
import { CreateWebhook } from './webhooks/create-webhook.ts';
import { DeliveryLog } from './webhooks/delivery-log.ts';
import { RotateSecret } from './webhooks/rotate-secret.ts';
import { EVENTS, type EventType, nameOf } from './webhooks/webhook.ts';
import { WebhookRow } from './webhooks/webhook-row.ts';

/** Webhooks: the subscriptions of the account that is signed in, whoever's data are looked at. */
export function Page() {
  const { me } = useSession();
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
      status === 'active'
        ? `Resumed: ${nameOf(webhook)}. Events that waited are sent now, oldest first, up to seven days back.`
        : `Paused: ${nameOf(webhook)}. Events wait, and are sent when it is resumed, up to seven days back.`,
    );
  const remove = (webhook: Webhook) => act(() => call('DELETE', path(webhook)), `Deleted: ${nameOf(webhook)}.`);
  const test = (webhook: Webhook) => {
    const when = webhook.status === 'paused' ? 'is sent when it is resumed' : 'is on its way; see Deliveries below';
    act(async () => {
      await call('POST', `${path(webhook)}/test`);
      setPicked(webhook.webhook_id);
      setTests(tests + 1);
    }, `A test event for ${webhook.url} ${when}.`);
  };
  return html`
    <h1>Webhooks</h1>
    <p>The service notifies your program when something happens, by a signed POST to an address of yours.</p>
    <${Card}
      title="Your webhooks"
      actions=${html`<button type="button" class="main" onClick=${() => setOpen('create')}>Create a webhook</button>`}
    >
      <${Problem} text=${error} />
      <p class="quiet told" role="status">${told}</p>
      <${Rows} label="List of webhooks">
        <${Loading} of=${webhooks}>
          ${(all: Webhook[]) => (all.length === 0 ? empty : table(all.toReversed()))}
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
        <th scope="col">Webhook</th><th scope="col">Status</th><th scope="col">Made</th><td></td>
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
  return event !== null && event in EVENTS ? (event as EventType) : null;
}

const empty = html`<p>You have no webhook yet. Three steps:</p>
  <ol>
    <li>Press <b>Create a webhook</b>: an event, and the https address of your receiver.</li>
    <li>Copy the secret, which is shown once, into your receiver; there is one to begin with below it.</li>
    <li>Press <b>Send test event</b>, and see here what was sent and what came back.</li>
  </ol>`;
