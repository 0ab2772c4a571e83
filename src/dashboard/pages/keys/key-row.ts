import type { Key } from '#clients/typescript/client.ts';
import { html } from '../../html.ts';
import { daysSince } from '../../parts/format.ts';
import { Badge, Sure, When } from '../../parts/ui.ts';
import { isOver, nameOf } from './key.ts';
import { scopesInShort } from './scopes.ts';

/** Then rotation is recommended (specification of the service, API keys). */
const OLD_AFTER_DAYS = 90;

/** One key in the table, with what can be done to it. */
export function KeyRow(props: { of: Key; zone: string; onRotate: () => void; onRevoke: () => void }) {
  const { of: key, zone, onRotate, onRevoke } = props;
  const hasEnded = isOver(key);
  const isOld = !hasEnded && daysSince(key.created_at) >= OLD_AFTER_DAYS;
  const question = hasEnded
    ? 'It has already expired. Revoking it removes it from this list.'
    : 'It is refused everywhere within 10 seconds. This cannot be undone. Programs that still use it stop working.';
  return html`<tr>
    <th scope="row" data-name="Name">${key.name ?? html`<span class="quiet">no name</span>`}</th>
    <td data-name="Key"><code>${key.prefix}…</code></td>
    <td data-name="May do">${scopesInShort(key.scopes)}</td>
    <td data-name="Made">
      <span><${When} at=${key.created_at} zone=${zone} /> ${isOld && html`<${Badge} kind="warn">rotate: older than 90 days<//>`}</span>
    </td>
    <td data-name="Last used"><${When} at=${key.last_used_at} zone=${zone} /></td>
    <td data-name="Expires">
      ${hasEnded ? html`<${Badge} kind="quiet">expired<//>` : html`<${When} at=${key.expires_at} zone=${zone} />`}
    </td>
    <td>
      <div class="actions">
        ${
          !hasEnded &&
          html`<button type="button" aria-label=${`Rotate ${nameOf(key)}`} onClick=${onRotate}>Rotate</button>`
        }
        <${Sure} label="Revoke" of=${nameOf(key)} question=${question} onSure=${onRevoke} />
      </div>
    </td>
  </tr>`;
}
