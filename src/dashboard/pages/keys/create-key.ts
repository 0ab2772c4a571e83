import { useState } from 'preact/hooks';
import type { CreatedKey } from '#clients/typescript/client.ts';
import { call } from '../../api.ts';
import { html } from '../../html.ts';
import { useAction } from '../../parts/load.ts';
import { busy, Dialog, Field, Problem } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { SCOPES } from './scopes.ts';
import { KeyShownOnce } from './shown-once.ts';

const DAY_MS = 86_400_000;
const ALL = SCOPES;
/** Days. */
const EXPIRIES = ['never', 30, 90, 365] as const;

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
    const days = Number(given.get('days'));
    run(async () => {
      const body = {
        scopes,
        ...(name === '' ? {} : { name }),
        ...(days === 0 ? {} : { expires_at: new Date(Date.now() + days * DAY_MS).toISOString() }),
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
              <span><code>${scope}</code> <small class="quiet">${w.scopes[scope]}</small></span>
            </label>`,
          )}
        </div>
        <p class="actions">
          <button type="button" onClick=${() => setScopes(ALL)}>${w.all}</button>
          <button type="button" onClick=${() => setScopes([])}>${w.none}</button>
        </p>
      </fieldset>
      <${Field} label=${w.expires}>
        ${(attributes: object) =>
          html`<select ...${attributes} name="days">${EXPIRIES.map((days) => html`<option value=${days === 'never' ? '' : days}>${w.expiries[days]}</option>`)}</select>`}
      <//>
      <${Problem} text=${error} />
      <p class="actions">
        <button class="main" ...${busy(isBusy)} disabled=${scopes.length === 0}>${w.createShort}</button>
        <button type="button" onClick=${onClose}>${common.cancel}</button>
        ${scopes.length === 0 && html`<span class="quiet">${w.chooseOne}</span>`}
      </p>
    </form>
  <//>`;
}
