import { useState } from 'preact/hooks';
import type { Group } from '#clients/typescript/client.ts';
import { call, list } from '../api.ts';
import { html } from '../html.ts';
import { Rows } from '../parts/focus.ts';
import { useAction, useLoad } from '../parts/load.ts';
import { Card, Loading, Problem, Sure } from '../parts/ui.ts';
import { useSession } from '../session.ts';
import { words } from '../words/words.ts';
import { CreateGroup } from './groups/create-group.ts';
import { Days } from './groups/days.ts';
import { Homes } from './groups/homes.ts';
import { inTree } from './groups/tree.ts';

/** Groups of homes, as a tree; of the one that is picked what its homes used, and who they are. */
export function Page() {
  const { me } = useSession();
  const { common, groups: w } = words();
  const groups = useLoad(() => list<Group>('/v1/groups?limit=200', 10_000), []);
  const [isOpen, setOpen] = useState(false);
  const [picked, setPicked] = useState<string | null>(null);
  const [changes, setChanges] = useState(0);
  const { run, error } = useAction();
  const remove = (group: Group) =>
    run(async () => {
      await call('DELETE', `/v1/groups/${group.group_id}`);
      groups.again();
    });
  const placed = inTree(groups.value ?? []);
  const shown = (placed.find(({ group }) => group.group_id === picked) ?? placed[0])?.group;
  return html`
    <h1>${common.pages.groups}</h1>
    <p>${w.about}</p>
    <${Card}
      title=${w.yours}
      actions=${html`<button type="button" class="main" onClick=${() => setOpen(true)}>${w.create}</button>`}
    >
      <${Problem} text=${error} />
      <${Rows} label=${w.list}>
        <${Loading} of=${groups}>${() => (placed.length === 0 ? html`<p>${w.empty}</p>` : table())}<//>
      <//>
    <//>
    ${
      shown &&
      html`<${Days} key=${`days ${shown.group_id}`} of=${shown} zone=${me.timezone} changes=${changes} />
        <${Homes} key=${shown.group_id} of=${shown} onChange=${() => {
          groups.again();
          setChanges(changes + 1);
        }} />`
    }
    ${
      isOpen &&
      html`<${CreateGroup}
        all=${groups.value ?? []}
        onMade=${(made: Group) => {
          setOpen(false);
          setPicked(made.group_id);
          groups.again();
        }}
        onClose=${() => setOpen(false)}
      />`
    }
  `;

  function table() {
    return html`<div class="table"><table>
      <thead><tr><th scope="col">${common.name}</th><th scope="col">${w.kind}</th><th scope="col">${w.homes}</th><td></td></tr></thead>
      <tbody>${placed.map(
        ({ group, depth }) => html`<tr key=${group.group_id} aria-current=${group === shown ? 'true' : undefined}>
          <th scope="row" data-name=${common.name}><span style=${{ paddingInlineStart: `${depth * 1.25}rem` }}>${group.name}</span></th>
          <td data-name=${w.kind}>${group.kind ?? '–'}</td>
          <td data-name=${w.homes}>${group.members}</td>
          <td><div class="actions">
            <button type="button" aria-label=${w.showOf({ name: group.name })} onClick=${() => setPicked(group.group_id)}>${w.show}</button>
            <${Sure} label=${common.delete} of=${group.name} question=${w.deleteQuestion} onSure=${() => remove(group)} />
          </div></td>
        </tr>`,
      )}</tbody>
    </table></div>`;
  }
}
