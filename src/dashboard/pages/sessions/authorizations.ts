import type { Authorization } from '#clients/typescript/client.ts';
import { callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { LoadedList } from '../../parts/list.ts';
import { useAction, useAllPages } from '../../parts/load.ts';
import { renderTable } from '../../parts/table.ts';
import { Card, ConfirmButton, ErrorMessage, RelativeTime } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { textNamed, words } from '../../words/words.ts';

/** List of the apps that may access the signed-in account's home. A button ends the access of an app. */
export function AuthorizationList() {
  const { me } = useSession();
  const { keys, sessions: w } = words();
  const authorizations = useAllPages<Authorization>('/v1/authorizations');
  const { run, error } = useAction();
  const end = ({ authorization_id }: Authorization) =>
    run(() => callApi('DELETE', `/v1/authorizations/${authorization_id}`).then(authorizations.again));
  const at = (iso: string) => html`<${RelativeTime} at=${iso} zone=${me.timezone} />`;
  const table = (all: Authorization[]) =>
    renderTable(
      all,
      [
        [
          words().common.app,
          ({ app }) => html`<a href=${app.website} target="_blank" rel="noreferrer">${app.name}</a>`,
        ],
        [keys.mayDo, ({ scopes }) => scopes.map((scope) => textNamed(keys.scopes, scope) ?? scope).join(', ')],
        [words().common.lastUsed, ({ last_used_at }) => last_used_at && at(last_used_at)],
        [w.ends, ({ expires_at }) => (expires_at ? at(expires_at) : w.untilEnded)],
      ],
      {
        key: ({ authorization_id }) => authorization_id,
        actions: (one) =>
          html`<${ConfirmButton} label=${w.end} of=${one.app.name} question=${w.appQuestion} onSure=${() => end(one)} />`,
      },
    );
  return html`<${Card} title=${w.appsTitle}>
    <p>${w.appsAbout}</p>
    <${ErrorMessage} text=${error} />
    <${LoadedList} label=${w.appsTitle} of=${authorizations} empty=${html`<p class="quiet">${w.noApps}</p>`}>${table}<//>
  <//>`;
}
