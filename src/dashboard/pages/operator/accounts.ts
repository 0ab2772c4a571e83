import { useState } from 'preact/hooks';
import type { User } from '#clients/typescript/client.ts';
import type { AuditRecordWithEmails } from '#src/api/dashboard/shapes.ts';
import { appendQuery, callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { PagedList } from '../../parts/list.ts';
import { readSubmittedForm, useAction, usePages } from '../../parts/load.ts';
import { Card, ErrorMessage, Field, getBusyAttributes, RelativeTime } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';

const PLANS = ['free', 'developer', 'enterprise'];
const ROLES = ['homeowner', 'utility', 'admin'];
const SHOWN = 25;
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Table of accounts with their roles and plans. A change of a plan takes effect immediately. */
export function AccountTable() {
  const [search, setSearch] = useState('');
  const [turn, setTurn] = useState(0);
  const { run, isBusy, error } = useAction();
  const [told, setTold] = useState('');
  const change = (user: User, plan: string) =>
    run(async () => {
      await callApi('PATCH', `/v1/users/${user.user_id}`, { plan });
      setTold(`${user.email} is on ${plan} now.`);
      setTurn(turn + 1);
    });
  const [made, setMade] = useState('');
  const creating = useAction();
  const create = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const { email, role, timezone } = Object.fromEntries(new FormData(form)) as Record<string, string>;
    creating.run(async () => {
      setMade('');
      await callApi('POST', '/v1/users', { email, role, timezone });
      setMade(`${email} can sign in now, by mail.`);
      form.reset();
      setTurn(turn + 1);
    });
  };
  return html`<${Card} title="Users and plans">
    <${ErrorMessage} text=${error} />
    <p class="quiet" role="status">${told}</p>
    <${Field} label="Search by e-mail"
      type="search" maxlength="200" onInput=${(event: Event) => {
        setSearch((event.target as HTMLInputElement).value.trim());
      }} />
    <${List} key=${`${search} ${turn}`} search=${search} isBusy=${isBusy} onChange=${change} />
    <details>
      <summary>Create a user</summary>
      <form onSubmit=${create}>
        <${Field} label="E-mail" name="email" type="email" required maxlength="254" />
        <${Field} label="Role" control="select" name="role">${ROLES.map((role) => html`<option value=${role}>${role}</option>`)}<//>
        <${Field} label="Time zone" hint="Its days and months begin there." name="timezone" required maxlength="60" defaultValue=${ZONE} />
        <button class="main" ...${getBusyAttributes(creating.isBusy)}>Create</button>
        <${ErrorMessage} text=${creating.error} />
        <p class="quiet" role="status">${made}</p>
      </form>
    </details>
  <//>`;
}

function List(props: { search: string; isBusy: boolean; onChange: (user: User, plan: string) => void }) {
  const pages = usePages<User>(appendQuery('/v1/users', { search: props.search, limit: SHOWN }));
  const { pick, go } = useSession();
  return html`<${PagedList} of=${pages} names=${['First', 'More']}>
      ${(rows: User[]) => html`<div class="table"><table>
        <thead><tr><th scope="col">E-mail</th><th scope="col">Role</th><th scope="col">Time zone</th><th scope="col">Plan</th><th scope="col"><span class="hidden">What to do</span></th></tr></thead>
        <tbody>${rows.map(
          (user) => html`<tr key=${user.user_id}>
            <th scope="row" data-name="E-mail">${user.email}</th>
            <td data-name="Role">${user.role}</td>
            <td data-name="Time zone">${user.timezone}</td>
            <td data-name="Plan"><select aria-label=${`Plan of ${user.email}`} value=${user.plan} ...${getBusyAttributes(props.isBusy)}
              onChange=${(event: Event) => props.onChange(user, (event.target as HTMLSelectElement).value)}>
              ${PLANS.map((plan) => html`<option value=${plan}>${plan}</option>`)}
            </select></td>
            <td><button type="button" onClick=${() => {
              pick(user);
              go('');
            }} aria-label=${`Look at ${user.email}`}>Look at</button></td>
          </tr>`,
        )}</tbody>
      </table></div>`}
  <//>`;
}

/** Audit log, newest first. */
export function AuditLog() {
  const [user, setUser] = useState('');
  const filter = (event: SubmitEvent) => {
    setUser(String(readSubmittedForm(event).get('account')).trim());
  };
  return html`<${Card} title="Who did what">
    <form class="actions ends" onSubmit=${filter}>
      <${Field} label="Account" name="account" placeholder="usr_…" maxlength="100" />
      <button>List</button>
    </form>
    <${AuditList} key=${user} user=${user} />
  <//>`;
}

function AuditList({ user }: { user: string }) {
  const pages = usePages<AuditRecordWithEmails>(appendQuery('/v1/acts', { user_id: user, limit: SHOWN }));
  return html`<${PagedList} of=${pages} empty=${html`<p>There are no entries.</p>`}>
      ${(rows: AuditRecordWithEmails[]) => html`<div class="table"><table>
              <thead><tr><th scope="col">When</th><th scope="col">Action</th><th scope="col">Target</th><th scope="col">Who</th><th scope="col">From</th></tr></thead>
              <tbody>${rows.map(
                (act) => html`<tr key=${act.audit_id}>
                  <td data-name="When"><${RelativeTime} at=${act.at} /></td>
                  <td data-name="Action"><code>${act.action}</code>${detailsText(act)}</td>
                  <td data-name="Target"><${Named} id=${act.target} email=${act.target_email} /></td>
                  <td data-name="Who"><${Named} id=${act.actor_user_id} email=${act.actor_email} /></td>
                  <td data-name="From">${act.address ?? '–'}</td>
                </tr>`,
              )}</tbody>
            </table></div>`}
  <//>`;
}

/** Shows an id and, if it belongs to an account, the account's e-mail address. */
const Named = ({ id, email }: { id: string | null; email: string | null }) =>
  html`<span>${email} <code>${id ?? '–'}</code></span>`;

function detailsText({ details }: AuditRecordWithEmails): string {
  const { members, ...values } = details as { members?: string[] };
  const namedValues = Object.entries(values).map(([name, value]) => `${name} ${String(value)}`);
  const others = (members ?? []).filter((name) => !(name in values));
  const text = [...namedValues, ...others].join(', ');
  return text === '' ? '' : ` ${text}`;
}
