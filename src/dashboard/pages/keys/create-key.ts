import { useState } from 'preact/hooks';
import type { CreatedKey } from '#clients/typescript/client.ts';
import { call } from '../../api.ts';
import { html } from '../../html.ts';
import { useAction } from '../../parts/load.ts';
import { busy, Dialog, Field, Problem } from '../../parts/ui.ts';
import { textNamed, words } from '../../words/words.ts';
import { AllowedField, addressesIn } from './allowed-field.ts';
import { ExpiryChoice, endIn } from './expiry-choice.ts';
import { SCOPES } from './scopes.ts';
import { KeyShownOnce } from './shown-once.ts';

const ALL = SCOPES;

/** Asks what the key is for, makes it, and shows it once. */
export function CreateKey({ onMade, onClose }: { onMade: () => void; onClose: () => void }) {
  const { common, keys: w } = words();
  const [scopes, setScopes] = useState<readonly string[]>(ALL);
  const [made, setMade] = useState<CreatedKey | null>(null);
  const { run, isBusy, error } = useAction();
  if (made)
    return html`<${Dialog} title=${w.newKey} onClose=${onClose}><${KeyShownOnce} made=${made} onDone=${onClose} /><//>`;

  const create = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.target as HTMLFormElement);
    const name = String(given.get('name')).trim();
    run(async () => {
      const allowed_addresses = addressesIn(given);
      const { expires_at } = endIn(given);
      const body = {
        scopes,
        ...(allowed_addresses.length === 0 ? {} : { allowed_addresses }),
        ...(name === '' ? {} : { name }),
        ...(expires_at ? { expires_at } : {}),
      };
      setMade(await call<CreatedKey>('POST', '/v1/keys', body));
      onMade();
    });
  };
  const allow = (scope: string, isAllowed: boolean) =>
    setScopes(ALL.filter((one) => (one === scope ? isAllowed : scopes.includes(one))));
  return html`<${Dialog} title=${w.create} onClose=${onClose}>
    <form onSubmit=${create}>
      <${Field} label=${common.name} hint=${w.nameHint}>
        ${(attributes: object) => html`<input ...${attributes} name="name" maxlength="100" autocomplete="off" />`}
      <//>
      <fieldset>
        <legend>${w.whatItMayDo}</legend>
        <div class="choices wide">
          ${ALL.map(
            (scope) => html`<label>
              <input
                type="checkbox"
                checked=${scopes.includes(scope)}
                onChange=${(event: Event) => allow(scope, (event.target as HTMLInputElement).checked)}
              />
              <span><code>${scope}</code> <small class="quiet">${textNamed(w.scopes, scope)}</small></span>
            </label>`,
          )}
        </div>
        <p class="actions">
          <button type="button" onClick=${() => setScopes(ALL)}>${w.all}</button>
          <button type="button" onClick=${() => setScopes([])}>${w.none}</button>
        </p>
      </fieldset>
      <${Field} label=${w.expires}>
        ${(attributes: object) => html`<${ExpiryChoice} attributes=${attributes} />`}
      <//>
      <${AllowedField} />
      <${Problem} text=${error} />
      <p class="actions">
        <button class="main" ...${busy(isBusy)} disabled=${scopes.length === 0}>${w.createShort}</button>
        <button type="button" onClick=${onClose}>${common.cancel}</button>
        ${scopes.length === 0 && html`<span class="quiet">${w.chooseOne}</span>`}
      </p>
    </form>
  <//>`;
}
