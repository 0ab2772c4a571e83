import { useState } from 'preact/hooks';
import type { CreatedKey, Key, RotatedKey } from '#clients/typescript/client.ts';
import { callApi } from '../../api.ts';
import { type Children, html } from '../../html.ts';
import { DecimalInput, parseDecimalInput } from '../../parts/decimal-input.ts';
import { formatTime } from '../../parts/format.ts';
import { readSubmittedForm, useAction } from '../../parts/load.ts';
import { ContentShownOnce, CopyableText, Dialog, Field, FormButtons, renderInlineMarkup } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { textNamed, words } from '../../words/words.ts';
import { AllowedAddressesField, ExpirySelect, getKeyName, getSelectedExpiry, readAllowedAddresses } from './key.ts';
import { formatCurlCommand, listDefaultScopes } from './scopes.ts';

/** Dialog that creates an API key for a selected purpose, and then shows the key once. */
export function CreateKeyDialog({ onMade, onClose }: { onMade: () => void; onClose: () => void }) {
  const { common, keys: w } = words();
  const all = useSession().scopes.keys;
  const [scopes, setScopes] = useState<readonly string[]>(() => listDefaultScopes(all));
  const [made, setMade] = useState<CreatedKey | null>(null);
  const { run, isBusy, error } = useAction();
  if (made)
    return html`<${Dialog} title=${w.newKey} onClose=${onClose}><${KeyShownOnce} made=${made} onDone=${onClose} /><//>`;

  const create = (event: SubmitEvent) => {
    const formData = readSubmittedForm(event);
    const name = String(formData.get('name')).trim();
    run(async () => {
      const allowed_addresses = readAllowedAddresses(formData);
      const { expires_at } = getSelectedExpiry(formData);
      const body = {
        scopes,
        ...(allowed_addresses.length === 0 ? {} : { allowed_addresses }),
        ...(name === '' ? {} : { name }),
        ...(expires_at ? { expires_at } : {}),
      };
      setMade(await callApi<CreatedKey>('POST', '/v1/keys', body));
      onMade();
    });
  };
  const allow = (scope: string, isAllowed: boolean) =>
    setScopes(all.filter((one) => (one === scope ? isAllowed : scopes.includes(one))));
  return html`<${Dialog} title=${w.create} onClose=${onClose}>
    <form onSubmit=${create}>
      <${Field} label=${common.name} hint=${w.nameHint} name="name" maxlength="100" autocomplete="off" />
      <fieldset>
        <legend>${w.whatItMayDo}</legend>
        <div class="choices wide">
          ${all.map(
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
          <button type="button" onClick=${() => setScopes(all)}>${w.all}</button>
          <button type="button" onClick=${() => setScopes([])}>${w.none}</button>
        </p>
      </fieldset>
      <${Field} label=${w.expires} control=${ExpirySelect} />
      <${AllowedAddressesField} />
      <${FormButtons} label=${w.createShort} error=${error} isBusy=${isBusy} missing=${scopes.length === 0 ? w.chooseOne : null} onCancel=${onClose} />
    </form>
  <//>`;
}

/** Dialog that replaces an API key by a new one. It says how long the previous key stays valid. */
export function RotateKeyDialog({ of, onMade, onClose }: { of: Key; onMade: () => void; onClose: () => void }) {
  const { me } = useSession();
  const { keys: w } = words();
  const [made, setMade] = useState<RotatedKey | null>(null);
  const { run, isBusy, error } = useAction();
  const rotate = (event: SubmitEvent) => {
    const rotationData = readSubmittedForm(event);
    const overlap_hours = parseDecimalInput(String(rotationData.get('hours')));
    const { expires_at } = getSelectedExpiry(rotationData);
    run(async () => {
      setMade(
        await callApi<RotatedKey>('POST', `/v1/keys/${of.key_id}/rotate`, {
          overlap_hours,
          ...(expires_at ? { expires_at } : {}),
        }),
      );
      onMade();
    });
  };
  if (made)
    return html`<${Dialog} title=${w.newKey} onClose=${onClose}>
      <${KeyShownOnce} made=${made} onDone=${onClose}>
        <p>${renderInlineMarkup(w.oldGoesOn({ key: `${of.prefix}…`, until: formatTime(made.old_expires_at, me.timezone) }))}</p>
      <//>
    <//>`;
  return html`<${Dialog} title=${w.rotateOf({ name: getKeyName(of) })} onClose=${onClose}>
    <form onSubmit=${rotate}>
      <p>${w.rotateAbout}</p>
      <${Field} label=${w.hours} hint=${w.hoursHint} control=${DecimalInput}
        name="hours" defaultValue="24" limits=${{ least: 0, most: 720 }} isRequired />
      <${Field} label=${w.expires} control=${ExpirySelect} />
      <${FormButtons} label=${words().common.rotate} error=${error} isBusy=${isBusy} onCancel=${onClose} />
    </form>
  <//>`;
}

/** Shows a new API key, and a command that uses it. `children`: further notes. */
function KeyShownOnce({ made, onDone, children }: { made: CreatedKey; onDone: () => void; children?: Children }) {
  const { me, user } = useSession();
  const { common, keys: w } = words();
  const line = formatCurlCommand(made, { baseUrl: location.origin, userId: user.user_id, ownId: me.user_id });
  return html`
    <${ContentShownOnce} secret=${made.key}>
      ${renderInlineMarkup(w.copyNow)}
    <//>
    <${CopyableText} text=${made.key} label=${w.key} />
    ${children}
    ${
      line &&
      html`<h3>${words().common.tryIt}</h3>
        ${line.includes('user_id=') && html`<p class="quiet">${w.asksAbout({ email: user.email })}</p>`}
        <${CopyableText} text=${line} label=${w.line} />
        <p class="quiet">${renderInlineMarkup(w.unchecked)}</p>`
    }
    <p class="actions"><button type="button" class="main" onClick=${onDone}>${common.doneCopied}</button></p>
  `;
}
