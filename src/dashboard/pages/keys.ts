import { useState } from 'preact/hooks';
import type { Key } from '#clients/typescript/client.ts';
import { callApi } from '../api.ts';
import { type Children, html } from '../html.ts';
import { countDaysSince } from '../parts/format.ts';
import { ListCard, renderEmptyList } from '../parts/list.ts';
import { readSubmittedForm, useAction, useAllPages } from '../parts/load.ts';
import { renderTable } from '../parts/table.ts';
import { Badge, ConfirmButton, Dialog, Field, FormButtons, RelativeTime, renderInlineMarkup } from '../parts/ui.ts';
import { useSession } from '../session.ts';
import { words } from '../words/words.ts';
import { useDeviceNames } from './alerts/preview.ts';
import { CreateKeyDialog, RotateKeyDialog } from './keys/create-key.ts';
import {
  AllowedAddressesField,
  ExpirySelect,
  getKeyName,
  getSelectedExpiry,
  isKeyExpired,
  isKeyExpiringSoon,
  readAllowedAddresses,
} from './keys/key.ts';
import { summariseScopes } from './keys/scopes.ts';

/** Page with the API keys of the signed-in account. It does not depend on the selected account. */
export function Page() {
  const { me } = useSession();
  const { common, keys: w } = words();
  const keys = useAllPages<Key>('/v1/keys');
  const nameOfDevice = useDeviceNames(me.user_id);
  const [open, setOpen] = useState<{ what: 'create' } | { what: 'rotate' | 'limit'; of: Key } | null>(null);
  const { run, error } = useAction();
  const close = () => setOpen(null);
  const revoke = (key: Key) => run(() => callApi('DELETE', `/v1/keys/${key.key_id}`).then(keys.again));
  return html`
    <h1>${common.pages.keys}</h1>
    <p>${renderInlineMarkup(
      me.role === 'homeowner' ? w.about : w.aboutRole({ role: common.roles[me.role] }),
      (name) => html`<a href="/docs" target="_blank" rel="noreferrer">${name}</a>`,
    )}</p>
    <${ListCard} title=${w.yours} create=${w.create} onCreate=${() => setOpen({ what: 'create' })} error=${error}
      label=${w.list} of=${keys} empty=${renderEmptyList(w.empty, w.firstSteps)}>
      ${(all: Key[]) => html`<${KeyTable} of=${all} nameOfDevice=${nameOfDevice} actions=${actions} />`}
    <//>
    ${open?.what === 'create' && html`<${CreateKeyDialog} onMade=${keys.again} onClose=${close} />`}
    ${open?.what === 'rotate' && html`<${RotateKeyDialog} of=${open.of} onMade=${keys.again} onClose=${close} />`}
    ${open?.what === 'limit' && html`<${KeyLimitsDialog} of=${open.of} onDone=${keys.again} onClose=${close} />`}
  `;

  function actions(key: Key) {
    const name = getKeyName(key);
    const hasEnded = isKeyExpired(key);
    return html`${
      !hasEnded &&
      html`<button type="button" aria-label=${w.limitOf({ name })} onClick=${() => setOpen({ what: 'limit', of: key })}>${w.limit}</button>
        <button type="button" aria-label=${w.rotateOf({ name })} onClick=${() => setOpen({ what: 'rotate', of: key })}>${words().common.rotate}</button>`
    }
      <${ConfirmButton} label=${w.revoke} of=${name} question=${hasEnded ? w.revokeExpired : w.revokeQuestion} onSure=${() => revoke(key)} />`;
  }
}

/** Table of API keys, newest first. Expired and revoked keys come last. */
function KeyTable(props: { of: Key[]; nameOfDevice: (deviceId: string) => string; actions: (key: Key) => Children }) {
  const { of: all, nameOfDevice, actions } = props;
  const { me, scopes: known } = useSession();
  const { common, keys: w } = words();
  const at = (iso: string | null) => html`<${RelativeTime} at=${iso} zone=${me.timezone} />`;
  return renderTable(
    all.toReversed().sort((a, b) => Number(isKeyExpired(a)) - Number(isKeyExpired(b))),
    [
      [common.name, ({ name }) => name ?? html`<span class="quiet">${w.noName}</span>`],
      [w.key, ({ prefix }) => html`<code>${prefix}…</code>`],
      [
        w.mayDo,
        ({ scopes, device_id }) =>
          html`<span>${summariseScopes(scopes, known.keys)}${device_id !== undefined && html` <span class="quiet">${w.onlyDevice({ device: nameOfDevice(device_id) })}</span>`}</span>`,
      ],
      [
        w.allowed,
        ({ allowed_addresses: all }) =>
          all.length === 0 ? html`<span class="quiet">${w.everywhere}</span>` : all.join(', '),
      ],
      [
        common.made,
        (key) => html`<span>${at(key.created_at)} ${isOld(key) && html`<${Badge} kind="warn">${w.old}<//>`}</span>`,
      ],
      [words().common.lastUsed, ({ last_used_at }) => at(last_used_at)],
      [
        w.expires,
        (key) =>
          isKeyExpired(key)
            ? html`<${Badge} kind="quiet">${w.expired}<//>`
            : html`<span>${at(key.expires_at)} ${isKeyExpiringSoon(key) && html`<${Badge} kind="warn">${w.soon}<//>`}</span>`,
      ],
    ],
    { key: ({ key_id }) => key_id, actions },
  );
}

/** Age of an API key in days from which the page recommends a new one. */
const OLD_AFTER_DAYS = 90;
const isOld = (key: Key): boolean => !isKeyExpired(key) && countDaysSince(key.created_at) >= OLD_AFTER_DAYS;

/** Dialog that changes the expiry of an API key, and the addresses from which the key is accepted. */
function KeyLimitsDialog({ of, onDone, onClose }: { of: Key; onDone: () => void; onClose: () => void }) {
  const { common, keys: w } = words();
  const { run, isBusy, error } = useAction();
  const limit = (event: SubmitEvent) => {
    const formData = readSubmittedForm(event);
    run(async () => {
      const body = { allowed_addresses: readAllowedAddresses(formData), ...getSelectedExpiry(formData) };
      await callApi('PATCH', `/v1/keys/${of.key_id}`, body);
      onDone();
      onClose();
    });
  };
  return html`<${Dialog} title=${w.limitOf({ name: getKeyName(of) })} onClose=${onClose}>
    <form onSubmit=${limit}>
      <p>${w.limitAbout}</p>
      <${AllowedAddressesField} now=${of.allowed_addresses} />
      <${Field} label=${w.expires} control=${ExpirySelect} isChange />
      <${FormButtons} label=${common.save} error=${error} isBusy=${isBusy} onCancel=${onClose} />
    </form>
  <//>`;
}
