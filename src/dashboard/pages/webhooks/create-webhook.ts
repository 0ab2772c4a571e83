import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { html } from '../../html.ts';
import { useAction } from '../../parts/load.ts';
import { rich } from '../../parts/rich.ts';
import { busy, Dialog, Field, Problem } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { words } from '../../words/words.ts';
import { newSecret } from './secret.ts';
import { SecretShown } from './secret-shown.ts';
import type { EventType } from './webhook.ts';

/** Subscribes whoever is signed in to an event, and shows the secret once. `event`: the one to begin with. */
export function CreateWebhook(props: { event: EventType; onMade: () => void; onClose: () => void }) {
  const { onMade, onClose } = props;
  const { me } = useSession();
  const { common, webhooks: w } = words();
  const [secret, setSecret] = useState<string | null>(null);
  const [event, setEvent] = useState(props.event);
  const { run, isBusy, error } = useAction();
  const create = (submit: SubmitEvent) => {
    submit.preventDefault();
    const { url } = Object.fromEntries(new FormData(submit.target as HTMLFormElement)) as Record<string, string>;
    run(async () => {
      const made = newSecret();
      await call('POST', '/v1/webhooks', { event, url: url?.trim(), auth_token: made });
      setSecret(made);
      onMade();
    });
  };
  if (secret !== null)
    return html`<${Dialog} title=${w.newWebhook} onClose=${onClose}>
      <${SecretShown} secret=${secret} onDone=${onClose}>
        <p>${rich(w.giveIt)}</p>
      <//>
    <//>`;
  return html`<${Dialog} title=${w.create} onClose=${onClose}>
    <form onSubmit=${create}>
      <${Field} label=${w.event} hint=${`${event}: ${w.events[event]}. ${w.eventHints[me.role]}`}>
        ${(attributes: object) => html`<select
          ...${attributes} name="event"
          onChange=${(change: Event) => setEvent((change.target as HTMLSelectElement).value as EventType)}
        >
          ${Object.keys(w.events).map((name) => html`<option value=${name} selected=${name === event}>${name}</option>`)}
        </select>`}
      <//>
      <${Field} label="URL" hint=${w.urlHint}>
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
        <button class="main" ...${busy(isBusy)}>${w.createShort}</button>
        <button type="button" onClick=${onClose}>${common.cancel}</button>
      </p>
    </form>
  <//>`;
}
