import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { html } from '../../html.ts';
import { useAction } from '../../parts/load.ts';
import { busy, Dialog, Field, Problem } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { newSecret } from './secret.ts';
import { SecretShown } from './secret-shown.ts';
import { EVENTS, type EventType } from './webhook.ts';

const WHOSE = {
  homeowner: 'your account',
  utility: 'your own account and of those in your care',
  admin: 'all accounts',
};

/** Subscribes whoever is signed in to an event, and shows the secret once. `event`: the one to begin with. */
export function CreateWebhook(props: { event: EventType; onMade: () => void; onClose: () => void }) {
  const { onMade, onClose } = props;
  const { me } = useSession();
  const [secret, setSecret] = useState<string | null>(null);
  const { run, isBusy, error } = useAction();
  const create = (submit: SubmitEvent) => {
    submit.preventDefault();
    const { event, url } = Object.fromEntries(new FormData(submit.target as HTMLFormElement)) as Record<string, string>;
    run(async () => {
      const made = newSecret();
      await call('POST', '/v1/webhooks', { event, url: url?.trim(), auth_token: made });
      setSecret(made);
      onMade();
    });
  };
  if (secret !== null)
    return html`<${Dialog} title="Your new webhook" onClose=${onClose}>
      <${SecretShown} secret=${secret} onDone=${onClose}>
        <p>Give it to your receiver, then press <b>Send test event</b> in the list.</p>
      <//>
    <//>`;
  return html`<${Dialog} title="Create a webhook" onClose=${onClose}>
    <form onSubmit=${create}>
      <${Field} label="Event" hint=${`You get those of ${WHOSE[me.role]}. A webhook has one event; for another one make another webhook.`}>
        ${(attributes: object) => html`<select ...${attributes} name="event">
          ${Object.entries(EVENTS).map(
            ([event, when]) =>
              html`<option value=${event} selected=${event === props.event}>${event}: ${when}</option>`,
          )}
        </select>`}
      <//>
      <${Field} label="URL" hint="Of your receiver: https, with a valid certificate, at a public address.">
        ${(attributes: object) => html`<input
          ...${attributes}
          type="url"
          name="url"
          placeholder="https://example.com/energy"
          pattern="https://.+"
          title="https://…"
          required
          maxlength="2048"
          autocomplete="off"
        />`}
      <//>
      <${Problem} text=${error} />
      <p class="actions">
        <button class="main" ...${busy(isBusy)}>Create webhook</button>
        <button type="button" onClick=${onClose}>Cancel</button>
      </p>
    </form>
  <//>`;
}
