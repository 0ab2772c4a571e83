import { useState } from 'preact/hooks';
import type { CreatedKey } from '#clients/typescript/client.ts';
import { call } from '../../api.ts';
import { html } from '../../html.ts';
import { useAction } from '../../parts/load.ts';
import { busy, Dialog, Field, Problem } from '../../parts/ui.ts';
import { SCOPES } from './scopes.ts';
import { KeyShownOnce } from './shown-once.ts';

const DAY_MS = 86_400_000;
const ALL = Object.keys(SCOPES);
const EXPIRIES: [days: string, name: string][] = [
  ['', 'never'],
  ['30', 'after 30 days'],
  ['90', 'after 90 days'],
  ['365', 'after a year'],
];

/** Asks what the key is for, makes it, and shows it once. */
export function CreateKey({ onMade, onClose }: { onMade: () => void; onClose: () => void }) {
  const [scopes, setScopes] = useState<readonly string[]>(ALL);
  const [made, setMade] = useState<CreatedKey | null>(null);
  const { run, isBusy, error } = useAction();
  if (made)
    return html`<${Dialog} title="Your new key" onClose=${onClose}><${KeyShownOnce} made=${made} onDone=${onClose} /><//>`;

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
  return html`<${Dialog} title="Create New Key" onClose=${onClose}>
    <form onSubmit=${create}>
      <${Field} label="Name" hint="Optional: what the key is for.">
        ${(attributes: object) => html`<input ...${attributes} name="name" maxlength="100" autocomplete="off" />`}
      <//>
      <fieldset>
        <legend>What it may do</legend>
        <div class="choices wide">
          ${ALL.map(
            (scope) => html`<label>
              <input
                type="checkbox"
                checked=${scopes.includes(scope)}
                onChange=${(event: Event) => allow(scope, (event.target as HTMLInputElement).checked)}
              />
              <span><code>${scope}</code> <small class="quiet">${SCOPES[scope]}</small></span>
            </label>`,
          )}
        </div>
        <p class="actions">
          <button type="button" onClick=${() => setScopes(ALL)}>All</button>
          <button type="button" onClick=${() => setScopes([])}>None</button>
        </p>
      </fieldset>
      <${Field} label="Expires">
        ${(attributes: object) =>
          html`<select ...${attributes} name="days">${EXPIRIES.map(([days, name]) => html`<option value=${days}>${name}</option>`)}</select>`}
      <//>
      <${Problem} text=${error} />
      <p class="actions">
        <button class="main" ...${busy(isBusy)} disabled=${scopes.length === 0}>Create key</button>
        <button type="button" onClick=${onClose}>Cancel</button>
        ${scopes.length === 0 && html`<span class="quiet">Choose at least one permission.</span>`}
      </p>
    </form>
  <//>`;
}
