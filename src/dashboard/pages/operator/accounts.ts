import { useState } from 'preact/hooks';
import { call, withQuery } from '../../api.ts';
import { html } from '../../html.ts';
import { useAction, useLoad } from '../../parts/load.ts';
import { Card, Field, Loading, Problem } from '../../parts/ui.ts';
import { type User, useSession } from '../../session.ts';

const PLANS = ['free', 'developer', 'enterprise'];
const ROLES = ['homeowner', 'utility', 'admin'];
const SHOWN = 25;

/** Accounts with their roles and plans; a changed plan holds at once. */
export function Accounts() {
  const [search, setSearch] = useState('');
  const [after, setAfter] = useState<string | null>(null);
  const users = useLoad(
    () => call<User[]>('GET', withQuery('/v1/users', { search, limit: SHOWN, cursor: after })),
    [search, after],
  );
  const { pick, go } = useSession();
  const { run, isBusy, error } = useAction();
  const [told, setTold] = useState('');
  const change = (user: User, plan: string) =>
    run(async () => {
      await call('PATCH', `/v1/users/${user.user_id}`, { plan });
      setTold(`${user.email} is on ${plan} now.`);
      users.again();
    });
  const create = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const { email, role } = Object.fromEntries(new FormData(form)) as Record<string, string>;
    run(async () => {
      await call('POST', '/v1/users', { email, role });
      setTold(`${email} can sign in now, by mail.`);
      form.reset();
      users.again();
    });
  };
  const last = users.value?.at(-1);
  return html`<${Card} title="Users and plans">
    <${Problem} text=${error} />
    <p class="quiet" role="status">${told}</p>
    <${Field} label="Search by e-mail">${(attributes: object) =>
      html`<input ...${attributes} type="search" maxlength="200" onInput=${(event: Event) => {
        setAfter(null);
        setSearch((event.target as HTMLInputElement).value.trim());
      }} />`}<//>
    <${Loading} of=${users}>
      ${(shown: User[]) => html`<div class="table"><table>
        <thead><tr><th scope="col">E-mail</th><th scope="col">Role</th><th scope="col">Time zone</th><th scope="col">Plan</th><th scope="col"><span class="hidden">What to do</span></th></tr></thead>
        <tbody>${shown.map(
          (user) => html`<tr key=${user.user_id}>
            <th scope="row" data-name="E-mail">${user.email}</th>
            <td data-name="Role">${user.role}</td>
            <td data-name="Time zone">${user.timezone}</td>
            <td data-name="Plan"><select aria-label=${`Plan of ${user.email}`} value=${user.plan} disabled=${isBusy}
              onChange=${(event: Event) => change(user, (event.target as HTMLSelectElement).value)}>
              ${PLANS.map((plan) => html`<option value=${plan}>${plan}</option>`)}
            </select></td>
            <td><button type="button" onClick=${() => {
              pick(user);
              go('');
            }} aria-label=${`Look at ${user.email}`}>Look at</button></td>
          </tr>`,
        )}</tbody>
      </table></div>`}
    <//>
    <p class="actions">
      ${after !== null && html`<button type="button" onClick=${() => setAfter(null)}>First</button>`}
      ${users.value?.length === SHOWN && last && html`<button type="button" onClick=${() => setAfter(last.user_id)}>More</button>`}
    </p>
    <details>
      <summary>Create a user</summary>
      <form onSubmit=${create}>
        <${Field} label="E-mail">${(attributes: object) => html`<input ...${attributes} name="email" type="email" required maxlength="254" />`}<//>
        <${Field} label="Role">${(attributes: object) => html`<select ...${attributes} name="role">${ROLES.map((role) => html`<option value=${role}>${role}</option>`)}</select>`}<//>
        <button class="main" disabled=${isBusy}>Create</button>
      </form>
    </details>
  <//>`;
}
