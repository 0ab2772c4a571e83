import { useState } from 'preact/hooks';
import type { Webhook } from '#clients/typescript/client.ts';
import { call } from '../../api.ts';
import { html } from '../../html.ts';
import { useAction } from '../../parts/load.ts';
import { busy, Dialog, Problem } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { newSecret } from './secret.ts';
import { SecretShown } from './secret-shown.ts';
import { nameOf } from './webhook.ts';

/** Gives a subscription another secret; for a day both sign. */
export function RotateSecret({ of: webhook, onClose }: { of: Webhook; onClose: () => void }) {
  const { common, webhooks: w } = words();
  const [secret, setSecret] = useState<string | null>(null);
  const { run, isBusy, error } = useAction();
  const rotate = () =>
    run(async () => {
      const made = newSecret();
      await call('PATCH', `/v1/webhooks/${webhook.webhook_id}`, { auth_token: made });
      setSecret(made);
    });
  if (secret !== null)
    return html`<${Dialog} title=${w.newSecret} onClose=${onClose}>
      <${SecretShown} secret=${secret} onDone=${onClose}>
        <p>${w.rotation.bothSign}</p>
      <//>
    <//>`;
  return html`<${Dialog} title=${w.rotateSecretOf({ name: nameOf(webhook) })} onClose=${onClose}>
    <p>${w.rotation.about}</p>
    <p class="quiet">${w.rotation.again}</p>
    <${Problem} text=${error} />
    <p class="actions">
      <button type="button" class="main" ...${busy(isBusy)} onClick=${rotate}>${w.rotate}</button>
      <button type="button" autofocus onClick=${onClose}>${common.cancel}</button>
    </p>
  <//>`;
}
