import type { Authorization } from '#clients/typescript/client.ts';
import { callApi, fetchAll } from '../../api.ts';
import { html } from '../../html.ts';
import { FocusableList } from '../../parts/focus.ts';
import { useAction, useLoad } from '../../parts/load.ts';
import { Card, ConfirmButton, ErrorMessage, Loading, RelativeTime } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { textNamed, words } from '../../words/words.ts';

/** List of the apps with access to the signed-in account's home, with a button that ends the access of each. */
export function Authorizations() {
  const { me } = useSession();
  const { keys, sessions: w } = words();
  const authorizations = useLoad(() => fetchAll<Authorization>('/v1/authorizations?limit=200'), []);
  const { run, error } = useAction();
  const end = ({ authorization_id }: Authorization) =>
    run(async () => {
      await callApi('DELETE', `/v1/authorizations/${authorization_id}`);
      authorizations.again();
    });
  const row = (one: Authorization) => html`<tr key=${one.authorization_id}>
    <th scope="row" data-name=${w.app}><a href=${one.app.website} target="_blank" rel="noreferrer">${one.app.name}</a></th>
    <td data-name=${keys.mayDo}>${one.scopes.map((scope) => textNamed(keys.scopes, scope) ?? scope).join(', ')}</td>
    <td data-name=${w.lastUsed}>${one.last_used_at && html`<${RelativeTime} at=${one.last_used_at} zone=${me.timezone} />`}</td>
    <td data-name=${w.ends}>${one.expires_at ? html`<${RelativeTime} at=${one.expires_at} zone=${me.timezone} />` : w.untilEnded}</td>
    <td><div class="actions"><${ConfirmButton} label=${w.end} of=${one.app.name} question=${w.appQuestion} onSure=${() => end(one)} /></div></td>
  </tr>`;
  const table = (all: Authorization[]) =>
    all.length === 0
      ? html`<p class="quiet">${w.noApps}</p>`
      : html`<div class="table"><table>
          <thead><tr>
            <th scope="col">${w.app}</th><th scope="col">${keys.mayDo}</th><th scope="col">${w.lastUsed}</th>
            <th scope="col">${w.ends}</th><td></td>
          </tr></thead>
          <tbody>${all.map(row)}</tbody>
        </table></div>`;
  return html`<${Card} title=${w.appsTitle}>
    <p>${w.appsAbout}</p>
    <${ErrorMessage} text=${error} />
    <${FocusableList} label=${w.appsTitle}><${Loading} of=${authorizations}>${table}<//><//>
  <//>`;
}
