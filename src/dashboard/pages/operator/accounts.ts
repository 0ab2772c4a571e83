import { useState } from 'preact/hooks';
import type { User } from '#clients/typescript/client.ts';
import type { AuditRecordWithEmails } from '#src/api/dashboard/shapes.ts';
import { appendQuery, callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { PagedList } from '../../parts/list.ts';
import { readSubmittedForm, useAction, usePages } from '../../parts/load.ts';
import { type Columns, renderTable } from '../../parts/table.ts';
import { Card, ErrorMessage, Field, getBusyAttributes, RelativeTime } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { words } from '../../words/words.ts';

const PLANS = ['free', 'developer', 'enterprise'];
const ROLES = ['homeowner', 'utility', 'admin'] as const;
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
      setTold(words().operator.users.hasPlan({ email: user.email, plan }));
      setTurn(turn + 1);
    });
  const [made, setMade] = useState('');
  const creating = useAction();
  const create = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const { email = '', role, timezone } = Object.fromEntries(new FormData(form)) as Record<string, string>;
    creating.run(async () => {
      setMade('');
      await callApi('POST', '/v1/users', { email, role, timezone });
      setMade(words().operator.users.canSignIn({ email }));
      form.reset();
      setTurn(turn + 1);
    });
  };
  const { common, sessions, operator } = words();
  const w = operator.users;
  return html`<${Card} title=${w.title}>
    <${ErrorMessage} text=${error} />
    <p class="quiet" role="status">${told}</p>
    <${Field} label=${w.search}
      type="search" maxlength="200" onInput=${(event: Event) => {
        setSearch((event.target as HTMLInputElement).value.trim());
      }} />
    <${List} key=${`${search} ${turn}`} search=${search} isBusy=${isBusy} onChange=${change} />
    <details>
      <summary>${w.create}</summary>
      <form onSubmit=${create}>
        <${Field} label=${common.signIn.email} name="email" type="email" required maxlength="254" />
        <${Field} label=${w.role} control="select" name="role">${ROLES.map((role) => html`<option value=${role}>${common.roles[role]}</option>`)}<//>
        <${Field} label=${common.fields.timezone} hint=${sessions.zoneHint} name="timezone" required maxlength="60" defaultValue=${ZONE} />
        <button class="main" ...${getBusyAttributes(creating.isBusy)}>${common.create}</button>
        <${ErrorMessage} text=${creating.error} />
        <p class="quiet" role="status">${made}</p>
      </form>
    </details>
  <//>`;
}

function List(props: { search: string; isBusy: boolean; onChange: (user: User, plan: string) => void }) {
  const pages = usePages<User>(appendQuery('/v1/users', { search: props.search, limit: SHOWN }));
  const { pick, go } = useSession();
  const { common, fleet, operator } = words();
  const w = operator.users;
  const view = (user: User) => {
    pick(user);
    go('');
  };
  const plan = (user: User) => html`<select aria-label=${w.planOf({ email: user.email })} value=${user.plan}
    onChange=${(event: Event) => props.onChange(user, (event.target as HTMLSelectElement).value)} ...${getBusyAttributes(props.isBusy)}>
    ${PLANS.map((name) => html`<option value=${name}>${name}</option>`)}
  </select>`;
  const columns: Columns<User> = [
    [common.signIn.email, ({ email }) => email],
    [w.role, ({ role }) => common.roles[role]],
    [common.fields.timezone, ({ timezone }) => timezone],
    [w.plan, plan],
  ];
  const actions = (user: User) =>
    html`<button type="button" aria-label=${common.of({ what: w.view, name: user.email })} onClick=${() => view(user)}>${w.view}</button>`;
  return html`<${PagedList} of=${pages} names=${[fleet.first, fleet.next]}>
    ${(rows: User[]) => renderTable(rows, columns, { key: ({ user_id }) => user_id, actions })}
  <//>`;
}

/** Audit log, newest first. */
export function AuditLog() {
  const [user, setUser] = useState('');
  const filter = (event: SubmitEvent) => {
    setUser(String(readSubmittedForm(event).get('account')).trim());
  };
  const w = words().operator.audit;
  return html`<${Card} title=${w.title}>
    <form class="actions ends" onSubmit=${filter}>
      <${Field} label=${words().common.pages.account} name="account" placeholder="usr_…" maxlength="100" />
      <button>${w.list}</button>
    </form>
    <${AuditList} key=${user} user=${user} />
  <//>`;
}

function AuditList({ user }: { user: string }) {
  const pages = usePages<AuditRecordWithEmails>(appendQuery('/v1/acts', { user_id: user, limit: SHOWN }));
  const { common, operator } = words();
  const w = operator.audit;
  const columns: Columns<AuditRecordWithEmails> = [
    [common.when, ({ at }) => html`<${RelativeTime} at=${at} />`],
    [w.action, (act) => html`<code>${act.action}</code>${detailsText(act)}`],
    [w.target, (act) => html`<${Named} id=${act.target} email=${act.target_email} />`],
    [w.by, (act) => html`<${Named} id=${act.actor_user_id} email=${act.actor_email} />`],
    [w.address, ({ address }) => address ?? '–'],
  ];
  return html`<${PagedList} of=${pages} empty=${html`<p>${w.empty}</p>`}>
    ${(rows: AuditRecordWithEmails[]) => renderTable(rows, columns, { key: ({ audit_id }) => audit_id })}
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
