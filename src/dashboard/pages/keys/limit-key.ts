import type { Key } from '#clients/typescript/client.ts';
import { call } from '../../api.ts';
import { html } from '../../html.ts';
import { useAction } from '../../parts/load.ts';
import { busy, Dialog, Field, Problem } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { AllowedField, addressesIn } from './allowed-field.ts';
import { ExpiryChoice, endIn } from './expiry-choice.ts';
import { nameOf } from './key.ts';

/** Changes from where and until when a key may be used. */
export function LimitKey({ of, onDone, onClose }: { of: Key; onDone: () => void; onClose: () => void }) {
  const { common, keys: w } = words();
  const { run, isBusy, error } = useAction();
  const limit = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.target as HTMLFormElement);
    run(async () => {
      const body = { allowed_addresses: addressesIn(given), ...endIn(given) };
      await call('PATCH', `/v1/keys/${of.key_id}`, body);
      onDone();
      onClose();
    });
  };
  return html`<${Dialog} title=${w.limitOf({ name: nameOf(of) })} onClose=${onClose}>
    <form onSubmit=${limit}>
      <p>${w.limitAbout}</p>
      <${AllowedField} now=${of.allowed_addresses} />
      <${Field} label=${w.expires}>${(attributes: object) => html`<${ExpiryChoice} attributes=${attributes} isChange />`}<//>
      <${Problem} text=${error} />
      <p class="actions">
        <button class="main" ...${busy(isBusy)}>${common.save}</button>
        <button type="button" onClick=${onClose}>${common.cancel}</button>
      </p>
    </form>
  <//>`;
}
