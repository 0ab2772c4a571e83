import { useState } from 'preact/hooks';
import type { Webhook } from '#clients/typescript/client.ts';
import { callApi } from '../../api.ts';
import { type Children, html } from '../../html.ts';
import { readSubmittedForm, useAction } from '../../parts/load.ts';
import {
  ContentShownOnce,
  CopyableText,
  Dialog,
  ErrorMessage,
  Field,
  FormButtons,
  getBusyAttributes,
  renderInlineMarkup,
} from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { words } from '../../words/words.ts';
import { buildReceiverExample, createWebhookSecret } from './webhook.ts';

/**
 * Dialog that creates a webhook subscription for the signed-in account, and then shows its secret once. `event`: the preselected event
 * type.
 */
export function CreateWebhookDialog(props: { event: EventType; onMade: () => void; onClose: () => void }) {
  const { onMade, onClose } = props;
  const { me } = useSession();
  const { webhooks: w } = words();
  const [secret, setSecret] = useState<string | null>(null);
  const [events, setEvents] = useState<readonly EventType[]>([props.event]);
  const { run, isBusy, error } = useAction();
  const create = (submit: SubmitEvent) => {
    const { url } = Object.fromEntries(readSubmittedForm(submit)) as Record<string, string>;
    run(async () => {
      const made = createWebhookSecret();
      await callApi('POST', '/v1/webhooks', { events, url: url?.trim(), auth_token: made });
      setSecret(made);
      onMade();
    });
  };
  const ALL = Object.keys(w.events) as EventType[];
  const choose = (event: EventType, isChosen: boolean) =>
    setEvents(ALL.filter((one) => (one === event ? isChosen : events.includes(one))));
  if (secret !== null)
    return html`<${Dialog} title=${w.newWebhook} onClose=${onClose}>
      <${SecretShown} secret=${secret} onDone=${onClose}>
        <p>${renderInlineMarkup(w.giveIt)}</p>
      <//>
    <//>`;
  return html`<${Dialog} title=${w.create} onClose=${onClose}>
    <form onSubmit=${create}>
      <fieldset>
        <legend>${w.whichEvents}</legend>
        <p class="quiet">${w.eventHints[me.role]}</p>
        <div class="choices wide">
          ${ALL.map(
            (event) => html`<label>
              <input
                type="checkbox"
                name="events"
                checked=${events.includes(event)}
                onChange=${(change: Event) => choose(event, (change.target as HTMLInputElement).checked)}
              />
              <span><code>${event}</code> <small class="quiet">${w.events[event]}</small></span>
            </label>`,
          )}
        </div>
      </fieldset>
      <${Field} label="URL" hint=${w.urlHint}
        type="url" name="url" placeholder="https://example.com/energy" pattern="https://.+" title="https://…" required
        maxlength="2048" autocomplete="off" />
      <${FormButtons} label=${w.createShort} error=${error} isBusy=${isBusy} missing=${events.length === 0 ? w.chooseOne : null} onCancel=${onClose} />
    </form>
  <//>`;
}

/** Dialog that replaces the secret of a webhook subscription. For a day, deliveries are signed with both secrets. */
export function RotateSecretDialog({ of: webhook, onClose }: { of: Webhook; onClose: () => void }) {
  const { common, webhooks: w } = words();
  const [secret, setSecret] = useState<string | null>(null);
  const { run, isBusy, error } = useAction();
  const rotate = () =>
    run(async () => {
      const made = createWebhookSecret();
      await callApi('PATCH', `/v1/webhooks/${webhook.webhook_id}`, { auth_token: made });
      setSecret(made);
    });
  if (secret !== null)
    return html`<${Dialog} title=${w.newSecret} onClose=${onClose}>
      <${SecretShown} secret=${secret} onDone=${onClose}>
        <p>${w.rotation.bothSign}</p>
      <//>
    <//>`;
  return html`<${Dialog} title=${w.rotateSecretOf({ name: getWebhookName(webhook) })} onClose=${onClose}>
    <p>${w.rotation.about}</p>
    <p class="quiet">${w.rotation.again}</p>
    <${ErrorMessage} text=${error} />
    <p class="actions">
      <button type="button" class="main" ...${getBusyAttributes(isBusy)} onClick=${rotate}>${words().common.rotate}</button>
      <button type="button" autofocus onClick=${onClose}>${common.cancel}</button>
    </p>
  <//>`;
}

/** Shows the secret of a subscription, and sample code of a receiver. `children`: further notes. */
const SecretShown = ({ secret, onDone, children }: { secret: string; onDone: () => void; children?: Children }) => html`
  <${ContentShownOnce} secret=${secret}>
    ${renderInlineMarkup(words().webhooks.secret.copyNow)}
  <//>
  <${CopyableText} text=${secret} label=${words().common.fields.auth_token} />
  ${children}
  <h3>${words().webhooks.secret.receiver}</h3>
  <${CopyableText} text=${buildReceiverExample(secret)} label=${words().webhooks.secret.receiverLabel} />
  <p class="quiet">${renderInlineMarkup(
    words().webhooks.secret.about,
    (name) => html`<a href="https://www.standardwebhooks.com" target="_blank" rel="noreferrer">${name}</a>`,
  )}</p>
  <p class="actions"><button type="button" class="main" onClick=${onDone}>${words().common.doneCopied}</button></p>`;

export type EventType = Webhook['event'];

/** Returns the display name of a webhook subscription. */
export const getWebhookName = ({ events, url }: Pick<Webhook, 'events' | 'url'>): string =>
  words().webhooks.to({ event: events.join(', '), url });
