import type { ChangedGroup, Group, User } from '#clients/typescript/client.ts';
import { call, withQuery } from '../../api.ts';
import { html } from '../../html.ts';
import { Rows } from '../../parts/focus.ts';
import { useAction } from '../../parts/load.ts';
import { Steps, usePages } from '../../parts/pages.ts';
import { busy, Card, Field, Loading, Problem, Sure } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';

/** The homes of a group, page by page; one is added by its e-mail address. */
export function Homes({ of: group, onChange }: { of: Group; onChange: () => void }) {
  const { common, groups: w } = words();
  const path = `/v1/groups/${group.group_id}/users`;
  const homes = usePages<User>(`${path}?limit=50`);
  const { run, isBusy, error } = useAction();
  const change = (work: () => Promise<unknown>) =>
    run(async () => {
      await work();
      homes.shown.again();
      onChange();
    });
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const email = String(new FormData(form).get('email')).trim().toLowerCase();
    change(async () => {
      const found = await call<User[]>('GET', withQuery('/v1/users', { search: email, limit: 200 }));
      const home = found.find((one) => one.email.toLowerCase() === email);
      if (!home) throw new Error(common.frame.noAccount);
      await call<ChangedGroup>('PUT', `${path}/${home.user_id}`);
      form.reset();
    });
  };
  return html`<${Card} title=${w.homesOf({ name: group.name })}>
    <form class="line" onSubmit=${add}>
      <${Field} label=${common.fields.email} hint=${w.addHint}>
        ${(attributes: object) => html`<input ...${attributes} name="email" type="email" required autocomplete="off" />`}
      <//>
      <p class="actions"><button class="main" ...${busy(isBusy)}>${w.add}</button></p>
    </form>
    <${Problem} text=${error} />
    <${Rows} label=${w.homesOf({ name: group.name })}>
      <div ref=${homes.top} tabindex="-1">
        <${Loading} of=${homes.shown}>
          ${({ rows }: { rows: User[] }) =>
            rows.length === 0
              ? html`<p>${w.noHomes}</p>`
              : html`<div class="table"><table>
            <thead><tr><th scope="col">${common.fields.email}</th><td></td></tr></thead>
            <tbody>${rows.map(
              (home) => html`<tr key=${home.user_id}>
                <th scope="row" data-name=${common.fields.email}>${home.email}</th>
                <td><div class="actions"><${Sure}
                  label=${w.remove}
                  of=${home.email}
                  question=${w.removeQuestion}
                  onSure=${() => change(() => call('DELETE', `${path}/${home.user_id}`))}
                /></div></td>
              </tr>`,
            )}</tbody>
          </table></div>`}
        <//>
        <${Steps} of=${homes} />
      </div>
    <//>
  <//>`;
}
