import { useState } from 'preact/hooks';
import type { Webhook } from '#clients/typescript/client.ts';
import { call } from '../../api.ts';
import { html } from '../../html.ts';
import { useAction } from '../../parts/load.ts';
import { busy, Dialog, Problem } from '../../parts/ui.ts';
import { newSecret } from './secret.ts';
import { SecretShown } from './secret-shown.ts';
import { nameOf } from './webhook.ts';

/** Gives a subscription another secret; for a day both sign. */
export function RotateSecret({ of: webhook, onClose }: { of: Webhook; onClose: () => void }) {
  const [secret, setSecret] = useState<string | null>(null);
  const { run, isBusy, error } = useAction();
  const rotate = () =>
    run(async () => {
      const made = newSecret();
      await call('PATCH', `/v1/webhooks/${webhook.webhook_id}`, { auth_token: made });
      setSecret(made);
    });
  if (secret !== null)
    return html`<${Dialog} title="Your new secret" onClose=${onClose}>
      <${SecretShown} secret=${secret} onDone=${onClose}>
        <p>For 24 hours every event is signed with the former secret, too: give the new one to your receiver until then.</p>
      <//>
    <//>`;
  return html`<${Dialog} title=${`Rotate secret: ${nameOf(webhook)}`} onClose=${onClose}>
    <p>You get a new secret, shown once. For 24 hours events are signed with both, so that nothing is refused before your
      receiver has the new one.</p>
    <p class="quiet">Rotated again within that time, only the last two sign.</p>
    <${Problem} text=${error} />
    <p class="actions">
      <button type="button" class="main" ...${busy(isBusy)} onClick=${rotate}>Rotate</button>
      <button type="button" autofocus onClick=${onClose}>Cancel</button>
    </p>
  <//>`;
}
