import type { Key } from '#clients/typescript/client.ts';
import { html } from '../../html.ts';
import { daysSince } from '../../parts/format.ts';
import { Badge, Sure, When } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { endsSoon, isOver, nameOf } from './key.ts';
import { scopesInShort } from './scopes.ts';

/** Then rotation is recommended (specification of the service, API keys). */
const OLD_AFTER_DAYS = 90;

/** One key in the table, with what can be done to it. */
export function KeyRow(props: {
  of: Key;
  zone: string;
  onLimit: () => void;
  onRotate: () => void;
  onRevoke: () => void;
}) {
  const { of: key, zone, onLimit, onRotate, onRevoke } = props;
  const { common, keys: w } = words();
  const hasEnded = isOver(key);
  const isOld = !hasEnded && daysSince(key.created_at) >= OLD_AFTER_DAYS;
  const question = hasEnded ? w.revokeExpired : w.revokeQuestion;
  return html`<tr>
    <th scope="row" data-name=${common.name}>${key.name ?? html`<span class="quiet">${w.noName}</span>`}</th>
    <td data-name=${w.key}><code>${key.prefix}…</code></td>
    <td data-name=${w.mayDo}>${scopesInShort(key.scopes)}</td>
    <td data-name=${w.allowed}>${key.allowed_addresses.length === 0 ? html`<span class="quiet">${w.everywhere}</span>` : key.allowed_addresses.join(', ')}</td>
    <td data-name=${common.made}>
      <span><${When} at=${key.created_at} zone=${zone} /> ${isOld && html`<${Badge} kind="warn">${w.old}<//>`}</span>
    </td>
    <td data-name=${w.lastUsed}><${When} at=${key.last_used_at} zone=${zone} /></td>
    <td data-name=${w.expires}>
      ${hasEnded ? html`<${Badge} kind="quiet">${w.expired}<//>` : html`<span><${When} at=${key.expires_at} zone=${zone} /> ${endsSoon(key) && html`<${Badge} kind="warn">${w.soon}<//>`}</span>`}
    </td>
    <td>
      <div class="actions">
        ${
          !hasEnded &&
          html`<button type="button" aria-label=${w.limitOf({ name: nameOf(key) })} onClick=${onLimit}>${w.limit}</button>
            <button type="button" aria-label=${w.rotateOf({ name: nameOf(key) })} onClick=${onRotate}>${w.rotate}</button>`
        }
        <${Sure} label=${w.revoke} of=${nameOf(key)} question=${question} onSure=${onRevoke} />
      </div>
    </td>
  </tr>`;
}
