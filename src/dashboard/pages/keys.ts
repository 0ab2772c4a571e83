import { useState } from 'preact/hooks';
import type { Key } from '#clients/typescript/client.ts';
import { callApi, fetchAll } from '../api.ts';
import { html } from '../html.ts';
import { FocusableList } from '../parts/focus.ts';
import { daysSince } from '../parts/format.ts';
import { useAction, useLoad } from '../parts/load.ts';
import {
  Badge,
  busyAttributes,
  Card,
  ConfirmButton,
  Dialog,
  ErrorMessage,
  Field,
  Loading,
  RelativeTime,
  renderMarks,
} from '../parts/ui.ts';
import { useSession } from '../session.ts';
import { words } from '../words/words.ts';
import { useDeviceNames } from './alerts/preview.ts';
import { CreateKey, RotateKey } from './keys/create-key.ts';
import {
  AllowedAddressesField,
  ExpiryChoice,
  endsSoon,
  isKeyEnded,
  keyName,
  readAllowedAddresses,
  selectedExpiry,
} from './keys/key.ts';
import { summariseScopes } from './keys/scopes.ts';

/** Page with the API keys of the signed-in account, whichever account is selected. */
export function Page() {
  const { me } = useSession();
  const { common, keys: w } = words();
  const keys = useLoad(() => fetchAll<Key>('/v1/keys?limit=200'), []);
  const nameOfDevice = useDeviceNames(me.user_id);
  const [open, setOpen] = useState<'create' | { rotate: Key } | { limit: Key } | null>(null);
  const { run, error } = useAction();
  const close = () => setOpen(null);
  const revoke = (key: Key) =>
    run(async () => {
      await callApi('DELETE', `/v1/keys/${key.key_id}`);
      keys.again();
    });
  return html`
    <h1>${common.pages.keys}</h1>
    <p>${renderMarks(
      me.role === 'homeowner' ? w.about : w.aboutRole({ role: common.roles[me.role] }),
      (name) => html`<a href="/docs" target="_blank" rel="noreferrer">${name}</a>`,
    )}</p>
    <${Card}
      title=${w.yours}
      actions=${html`<button type="button" class="main" onClick=${() => setOpen('create')}>${w.create}</button>`}
    >
      <${ErrorMessage} text=${error} />
      <${FocusableList} label=${w.list}>
        <${Loading} of=${keys}>
          ${(all: Key[]) => (all.length === 0 ? empty() : table(all))}
        <//>
      <//>
    <//>
    ${open === 'create' && html`<${CreateKey} onMade=${keys.again} onClose=${close} />`}
    ${open !== null && open !== 'create' && 'rotate' in open && html`<${RotateKey} of=${open.rotate} onMade=${keys.again} onClose=${close} />`}
    ${open !== null && open !== 'create' && 'limit' in open && html`<${KeyLimitsDialog} of=${open.limit} onDone=${keys.again} onClose=${close} />`}
  `;

  function table(all: Key[]) {
    // Newest first (identifiers increase with time), with expired and revoked keys last.
    const shown = all.toReversed().sort((a, b) => Number(isKeyEnded(a)) - Number(isKeyEnded(b)));
    return html`<div class="table"><table>
      <thead><tr>
        <th scope="col">${common.name}</th><th scope="col">${w.key}</th><th scope="col">${w.mayDo}</th><th scope="col">${w.allowed}</th><th scope="col">${common.made}</th>
        <th scope="col">${w.lastUsed}</th><th scope="col">${w.expires}</th><td></td>
      </tr></thead>
      <tbody>
        ${shown.map(
          (key) => html`<${KeyRow}
            key=${key.key_id}
            of=${key}
            deviceName=${key.device_id === undefined ? null : nameOfDevice(key.device_id)}
            zone=${me.timezone}
            onLimit=${() => setOpen({ limit: key })}
            onRotate=${() => setOpen({ rotate: key })}
            onRevoke=${() => revoke(key)}
          />`,
        )}
      </tbody>
    </table></div>`;
  }
}

const empty = () => html`<p>${words().keys.empty}</p>
  <ol>${Object.values(words().keys.firstSteps).map((step) => html`<li>${renderMarks(step)}</li>`)}</ol>`;

/** Age in days after which the page recommends rotating a key (specification of the service, API keys). */
const OLD_AFTER_DAYS = 90;

/** Table row of a key, with its actions. */
export function KeyRow(props: {
  of: Key;
  /** Name of the device to which the key is limited. Null if it is not limited to one. */
  deviceName: string | null;
  zone: string;
  onLimit: () => void;
  onRotate: () => void;
  onRevoke: () => void;
}) {
  const { of: key, deviceName, zone, onLimit, onRotate, onRevoke } = props;
  const { common, keys: w } = words();
  const hasEnded = isKeyEnded(key);
  const isOld = !hasEnded && daysSince(key.created_at) >= OLD_AFTER_DAYS;
  const question = hasEnded ? w.revokeExpired : w.revokeQuestion;
  return html`<tr>
    <th scope="row" data-name=${common.name}>${key.name ?? html`<span class="quiet">${w.noName}</span>`}</th>
    <td data-name=${w.key}><code>${key.prefix}…</code></td>
    <td data-name=${w.mayDo}><span>${summariseScopes(key.scopes)}${deviceName !== null && html` <span class="quiet">${w.onlyDevice({ device: deviceName })}</span>`}</span></td>
    <td data-name=${w.allowed}>${key.allowed_addresses.length === 0 ? html`<span class="quiet">${w.everywhere}</span>` : key.allowed_addresses.join(', ')}</td>
    <td data-name=${common.made}>
      <span><${RelativeTime} at=${key.created_at} zone=${zone} /> ${isOld && html`<${Badge} kind="warn">${w.old}<//>`}</span>
    </td>
    <td data-name=${w.lastUsed}><${RelativeTime} at=${key.last_used_at} zone=${zone} /></td>
    <td data-name=${w.expires}>
      ${hasEnded ? html`<${Badge} kind="quiet">${w.expired}<//>` : html`<span><${RelativeTime} at=${key.expires_at} zone=${zone} /> ${endsSoon(key) && html`<${Badge} kind="warn">${w.soon}<//>`}</span>`}
    </td>
    <td>
      <div class="actions">
        ${
          !hasEnded &&
          html`<button type="button" aria-label=${w.limitOf({ name: keyName(key) })} onClick=${onLimit}>${w.limit}</button>
            <button type="button" aria-label=${w.rotateOf({ name: keyName(key) })} onClick=${onRotate}>${w.rotate}</button>`
        }
        <${ConfirmButton} label=${w.revoke} of=${keyName(key)} question=${question} onSure=${onRevoke} />
      </div>
    </td>
  </tr>`;
}

/** Dialog that changes the allowed addresses and the expiry of a key. */
export function KeyLimitsDialog({ of, onDone, onClose }: { of: Key; onDone: () => void; onClose: () => void }) {
  const { common, keys: w } = words();
  const { run, isBusy, error } = useAction();
  const limit = (event: SubmitEvent) => {
    event.preventDefault();
    const formData = new FormData(event.target as HTMLFormElement);
    run(async () => {
      const body = { allowed_addresses: readAllowedAddresses(formData), ...selectedExpiry(formData) };
      await callApi('PATCH', `/v1/keys/${of.key_id}`, body);
      onDone();
      onClose();
    });
  };
  return html`<${Dialog} title=${w.limitOf({ name: keyName(of) })} onClose=${onClose}>
    <form onSubmit=${limit}>
      <p>${w.limitAbout}</p>
      <${AllowedAddressesField} now=${of.allowed_addresses} />
      <${Field} label=${w.expires}>${(attributes: object) => html`<${ExpiryChoice} attributes=${attributes} isChange />`}<//>
      <${ErrorMessage} text=${error} />
      <p class="actions">
        <button class="main" ...${busyAttributes(isBusy)}>${common.save}</button>
        <button type="button" onClick=${onClose}>${common.cancel}</button>
      </p>
    </form>
  <//>`;
}
