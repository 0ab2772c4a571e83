import { useState } from 'preact/hooks';
import type { NamedAct } from '#src/api/dashboard/shapes.ts';
import { type Page, withQuery } from '../../api.ts';
import { html } from '../../html.ts';
import { Steps, usePages } from '../../parts/pages.ts';
import { Card, Field, Loading, When } from '../../parts/ui.ts';

const SHOWN = 25;

/** Who did what to whom, the latest first. */
export function Audit() {
  const [user, setUser] = useState('');
  const filter = (event: SubmitEvent) => {
    event.preventDefault();
    setUser(String(new FormData(event.target as HTMLFormElement).get('account')).trim());
  };
  return html`<${Card} title="Who did what">
    <form class="actions ends" onSubmit=${filter}>
      <${Field} label="Account">${(attributes: object) => html`<input ...${attributes} name="account" placeholder="usr_…" maxlength="100" />`}<//>
      <button>List</button>
    </form>
    <${List} key=${user} user=${user} />
  <//>`;
}

function List({ user }: { user: string }) {
  const pages = usePages<NamedAct>(withQuery('/v1/acts', { user_id: user, limit: SHOWN }));
  return html`<div tabindex="-1" ref=${pages.top}>
    <${Loading} of=${pages.shown}>
      ${({ rows }: Page<NamedAct>) =>
        rows.length === 0
          ? html`<p>Nothing was noted.</p>`
          : html`<div class="table"><table>
              <thead><tr><th scope="col">When</th><th scope="col">Action</th><th scope="col">Target</th><th scope="col">Who</th><th scope="col">From</th></tr></thead>
              <tbody>${rows.map(
                (act) => html`<tr key=${act.audit_id}>
                  <td data-name="When"><${When} at=${act.at} /></td>
                  <td data-name="Action"><code>${act.action}</code>${said(act)}</td>
                  <td data-name="Target"><${Named} id=${act.target} email=${act.target_email} /></td>
                  <td data-name="Who"><${Named} id=${act.actor_user_id} email=${act.actor_email} /></td>
                  <td data-name="From">${act.address ?? '–'}</td>
                </tr>`,
              )}</tbody>
            </table></div>`}
    <//>
    <${Steps} of=${pages} />
  </div>`;
}

/** An id, and whose it is where that is an account. */
const Named = ({ id, email }: { id: string | null; email: string | null }) =>
  html`<span>${email} <code>${id ?? '–'}</code></span>`;

/** What was sent with it, as far as the log says. */
function said({ details }: NamedAct): string {
  const { members, ...values } = details as { members?: string[] };
  const told = Object.entries(values).map(([name, value]) => `${name} ${String(value)}`);
  const others = (members ?? []).filter((name) => !(name in values));
  const text = [...told, ...others].join(', ');
  return text === '' ? '' : ` ${text}`;
}
