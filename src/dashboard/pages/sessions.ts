import { call, list } from '../api.ts';
import { html } from '../html.ts';
import { Rows } from '../parts/focus.ts';
import { useAction, useLoad } from '../parts/load.ts';
import { Badge, Card, Loading, Problem, Sure, When } from '../parts/ui.ts';
import { useSession } from '../session.ts';
import { browserName } from './sessions/browser-name.ts';

interface Session {
  session_id: string;
  created_at: string;
  last_seen_at: string;
  expires_at: string;
  user_agent: string | null;
  address: string | null;
  is_current: boolean;
}

const QUESTION = 'Whoever uses that browser is signed out at once, and needs a new mail to sign in again.';

/** The sessions of the account, with a button that ends each. */
export function Page() {
  const { me } = useSession();
  const sessions = useLoad(() => list<Session>('/v1/sessions?limit=200'), []);
  const { run, error } = useAction();
  const end = ({ session_id }: Session) =>
    run(async () => {
      await call('DELETE', `/v1/sessions/${session_id}`);
      sessions.again();
    });
  return html`
    <h1>Sessions</h1>
    <p>Browsers in which ${me.email} is signed in. If you do not recognise one, end it, and revoke API keys that are not yours.</p>
    <${Card} title="Signed in">
      <${Problem} text=${error} />
      <${Rows} label="List of sessions"><${Loading} of=${sessions}>${table}<//><//>
    <//>
  `;

  function table(all: Session[]) {
    // This one first, then by when they were last used.
    const shown = all.toSorted(
      (a, b) => Number(b.is_current) - Number(a.is_current) || Date.parse(b.last_seen_at) - Date.parse(a.last_seen_at),
    );
    return html`<div class="table"><table>
      <thead><tr>
        <th scope="col">Browser</th><th scope="col">Signed in from</th><th scope="col">Signed in</th>
        <th scope="col">Last used</th><th scope="col">Ends</th><td></td>
      </tr></thead>
      <tbody>${shown.map(row)}</tbody>
    </table></div>`;
  }

  function row(one: Session) {
    const name = browserName(one.user_agent);
    return html`<tr key=${one.session_id}>
      <th scope="row" data-name="Browser">${name} ${one.is_current && html`<${Badge} kind="good">this one<//>`}</th>
      <td data-name="Signed in from">${one.address ?? html`<span class="quiet">unknown</span>`}</td>
      <td data-name="Signed in"><${When} at=${one.created_at} zone=${me.timezone} /></td>
      <td data-name="Last used"><${When} at=${one.last_seen_at} zone=${me.timezone} /></td>
      <td data-name="Ends"><${When} at=${one.expires_at} zone=${me.timezone} /></td>
      <td>
        <div class="actions">
          ${!one.is_current && html`<${Sure} label="End" of=${name} question=${QUESTION} onSure=${() => end(one)} />`}
        </div>
      </td>
    </tr>`;
  }
}
