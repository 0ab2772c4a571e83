import { useState } from 'preact/hooks';
import type { Passkey } from '#src/api/dashboard/shapes.ts';
import { ApiFailure, callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { LoadedList } from '../../parts/list.ts';
import { readSubmittedForm, useAction, useLoad } from '../../parts/load.ts';
import { renderTable } from '../../parts/table.ts';
import { Card, ConfirmButton, ErrorMessage, Field, getBusyAttributes, RelativeTime } from '../../parts/ui.ts';
import { canUsePasskeys, createPasskey } from '../../passkeys.ts';
import { useSession } from '../../session.ts';
import { words } from '../../words/words.ts';

/** List of the account's passkeys, with buttons that add and remove passkeys. `proposedName`: default name of a new passkey. */
export function PasskeyList({ proposedName }: { proposedName: string }) {
  const { me } = useSession();
  const { sessions: w } = words();
  const passkeys = useLoad(() => callApi<Passkey[]>('GET', '/v1/passkeys'), []);
  const { run, isBusy, error } = useAction();
  const [isAdded, setAdded] = useState(false);
  const add = (event: SubmitEvent) => {
    const name = String(readSubmittedForm(event).get('name'));
    setAdded(false);
    run(async () => {
      const made = await createPasskey().catch(notAllowed);
      await callApi('POST', '/v1/passkeys', { ...made, name });
      setAdded(true);
      passkeys.again();
    });
  };
  const remove = ({ passkey_id }: Passkey) =>
    run(() => callApi('DELETE', `/v1/passkeys/${passkey_id}`).then(passkeys.again));
  const at = (iso: string | null) => html`<${RelativeTime} at=${iso} zone=${me.timezone} />`;
  const table = (all: Passkey[]) =>
    renderTable(
      all,
      [
        [
          w.passkey,
          ({ name, host }) =>
            html`${name} ${host !== location.hostname && html`<span class="quiet">${w.passkeyHost({ host })}</span>`}`,
        ],
        [w.passkeyMade, ({ created_at }) => at(created_at)],
        [words().common.lastUsed, ({ last_used_at }) => at(last_used_at)],
      ],
      {
        key: ({ passkey_id }) => passkey_id,
        actions: (one) =>
          html`<${ConfirmButton} label=${w.passkeyRemove} of=${one.name} question=${w.passkeyQuestion} onSure=${() => remove(one)} />`,
      },
    );
  const form = () => html`<form onSubmit=${add}>
    <${Field} label=${w.passkeyName} hint=${w.passkeyNameHint} name="name" autocomplete="off" required maxlength="60" defaultValue=${proposedName} />
    <button ...${getBusyAttributes(isBusy)}>${w.passkeyAdd}</button>
  </form>`;
  return html`<${Card} title=${w.passkeysTitle}>
    <p>${w.passkeysAbout}</p>
    <${LoadedList} label=${w.passkeysList} of=${passkeys}>${table}<//>
    ${canUsePasskeys() ? form() : html`<p class="quiet">${w.passkeyUnsupported}</p>`}
    <p class="quiet told" role="status">${isAdded && w.passkeyAdded}</p>
    <${ErrorMessage} text=${error} />
  <//>`;
}

/** Rethrows the error. If the last sign-in was too long ago to add a passkey, throws an error with a message for the user instead. */
function notAllowed(failure: unknown): never {
  if (failure instanceof ApiFailure && failure.status === 403) throw new Error(words().sessions.passkeyLongAgo);
  throw failure;
}
