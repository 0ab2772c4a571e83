import { call, list } from '../api.ts';
import { html } from '../html.ts';
import { Rows } from '../parts/focus.ts';
import { useAction, useLoad } from '../parts/load.ts';
import { Badge, Card, Loading, Problem, Sure, When } from '../parts/ui.ts';
import { useSession } from '../session.ts';
import { words } from '../words/words.ts';
import { Account } from './sessions/account.ts';
import { browserName } from './sessions/browser-name.ts';
import { EmailAddress } from './sessions/email-address.ts';

interface Session {
  session_id: string;
  created_at: string;
  last_seen_at: string;
  expires_at: string;
  user_agent: string | null;
  address: string | null;
  signed_in_by: 'mail' | 'provider';
  is_current: boolean;
}

/** The account's e-mail address, phone number and time zone, and its sessions with a button that ends each. */
export function Page() {
  const { me } = useSession();
  const { common, sessions: w } = words();
  const sessions = useLoad(() => list<Session>('/v1/sessions?limit=200'), []);
  const { run, error } = useAction();
  const end = ({ session_id }: Session) =>
    run(async () => {
      await call('DELETE', `/v1/sessions/${session_id}`);
      sessions.again();
    });
  return html`
    <h1>${common.pages.sessions}</h1>
    <${EmailAddress} />
    <${Account} />
    <${Card} title=${w.signedInTitle}>
      <p>${w.about({ email: me.email })}</p>
      <${Problem} text=${error} />
      <${Rows} label=${w.list}><${Loading} of=${sessions}>${table}<//><//>
    <//>
  `;

  function table(all: Session[]) {
    // This one first, then by when they were last used.
    const shown = all.toSorted(
      (a, b) => Number(b.is_current) - Number(a.is_current) || Date.parse(b.last_seen_at) - Date.parse(a.last_seen_at),
    );
    return html`<div class="table"><table>
      <thead><tr>
        <th scope="col">${w.browser}</th><th scope="col">${w.from}</th><th scope="col">${w.signedIn}</th><th scope="col">${w.by}</th>
        <th scope="col">${w.lastUsed}</th><th scope="col">${w.ends}</th><td></td>
      </tr></thead>
      <tbody>${shown.map(row)}</tbody>
    </table></div>`;
  }

  function row(one: Session) {
    const name = browserName(one.user_agent);
    return html`<tr key=${one.session_id}>
      <th scope="row" data-name=${w.browser}>${name} ${one.is_current && html`<${Badge} kind="good">${w.thisOne}<//>`}</th>
      <td data-name=${w.from}>${one.address ?? html`<span class="quiet">${w.unknown}</span>`}</td>
      <td data-name=${w.signedIn}><${When} at=${one.created_at} zone=${me.timezone} /></td>
      <td data-name=${w.by}>${w.ways[one.signed_in_by]}</td>
      <td data-name=${w.lastUsed}><${When} at=${one.last_seen_at} zone=${me.timezone} /></td>
      <td data-name=${w.ends}><${When} at=${one.expires_at} zone=${me.timezone} /></td>
      <td>
        <div class="actions">
          ${!one.is_current && html`<${Sure} label=${w.end} of=${name} question=${w.question} onSure=${() => end(one)} />`}
        </div>
      </td>
    </tr>`;
  }
}
