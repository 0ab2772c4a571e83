import { useState } from 'preact/hooks';
import type { Group } from '#clients/typescript/client.ts';
import { callApi } from '../api.ts';
import { html } from '../html.ts';
import { ListCard } from '../parts/list.ts';
import { readSubmittedForm, useAction, useAllPages } from '../parts/load.ts';
import { renderTable } from '../parts/table.ts';
import { ConfirmButton, Dialog, Field, FormButtons } from '../parts/ui.ts';
import { useSession } from '../session.ts';
import { words } from '../words/words.ts';
import { GroupHomeList, GroupUsageChart } from './groups/homes.ts';

/** Page with the tree of groups of homes, and the total usage and the homes of the selected group. */
export function Page() {
  const { me } = useSession();
  const { common, groups: w } = words();
  const groups = useAllPages<Group>('/v1/groups', 10_000);
  const [isOpen, setOpen] = useState(false);
  const [picked, setPicked] = useState<string | null>(null);
  const [changes, setChanges] = useState(0);
  const { run, error } = useAction();
  const remove = (group: Group) => run(() => callApi('DELETE', `/v1/groups/${group.group_id}`).then(groups.again));
  const placed = sortAsTree(groups.value ?? []);
  const shown = placed.find(({ group }) => group.group_id === picked) ?? placed[0];
  return html`
    <h1>${common.pages.groups}</h1>
    <p>${w.about}</p>
    <${ListCard} title=${w.yours} create=${w.create} onCreate=${() => setOpen(true)} error=${error}
      label=${w.list} of=${groups} empty=${html`<p>${w.empty}</p>`}>${table}<//>
    ${
      shown &&
      html`<${GroupUsageChart} key=${`days ${shown.group.group_id}`} of=${shown.group} zone=${me.timezone} changes=${changes} />
        <${GroupHomeList} key=${shown.group.group_id} of=${shown.group} onChange=${() => {
          groups.again();
          setChanges(changes + 1);
        }} />`
    }
    ${
      isOpen &&
      html`<${CreateGroupDialog}
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
    return renderTable(
      placed,
      [
        [
          common.name,
          ({ group, depth }) => html`<span style=${{ paddingInlineStart: `${depth * 1.25}rem` }}>${group.name}</span>`,
        ],
        [w.kind, ({ group }) => group.kind ?? '–'],
        [w.homes, ({ group }) => group.members],
      ],
      {
        key: ({ group }) => group.group_id,
        current: shown,
        actions: ({ group }) =>
          html`<button type="button" aria-label=${w.showOf({ name: group.name })} onClick=${() => setPicked(group.group_id)}>${words().common.show}</button>
            <${ConfirmButton} label=${common.delete} of=${group.name} question=${w.deleteQuestion} onSure=${() => remove(group)} />`,
      },
    );
  }
}

/** Dialog that creates a group with a name and a parent group. */
function CreateGroupDialog(props: { all: readonly Group[]; onMade: (made: Group) => void; onClose: () => void }) {
  const { all, onMade, onClose } = props;
  const { common, groups: w } = words();
  const { run, isBusy, error } = useAction();
  const create = (event: SubmitEvent) => {
    const formData = readSubmittedForm(event);
    const text = (name: string) => String(formData.get(name)).trim() || null;
    run(async () => {
      const body = { name: text('name') ?? '', kind: text('kind'), parent_group_id: text('parent_group_id') };
      onMade(await callApi<Group>('POST', '/v1/groups', body));
    });
  };
  return html`<${Dialog} title=${w.create} onClose=${onClose}>
    <form onSubmit=${create}>
      <${Field} label=${common.name} name="name" maxlength="100" required autocomplete="off" />
      <${Field} label=${w.kind} hint=${w.kindHint} name="kind" maxlength="50" autocomplete="off" />
      <${Field} label=${w.partOf} control="select" name="parent_group_id">
        <option value="">${w.ofNothing}</option>
        ${sortAsTree(all).map(({ group, depth }) => html`<option value=${group.group_id}>${'\u2003'.repeat(depth)}${group.name}</option>`)}
      <//>
      <${FormButtons} error=${error} isBusy=${isBusy} onCancel=${onClose} />
    </form>
  <//>`;
}

interface GroupInTree {
  group: Group;
  depth: number;
}

/** Returns the groups in the order of a tree: each group is followed by its subgroups, sorted by name. */
function sortAsTree(groups: readonly Group[]): GroupInTree[] {
  const known = new Set(groups.map(({ group_id }) => group_id));
  const above = ({ parent_group_id: parent }: Group) => (parent !== null && known.has(parent) ? parent : null);
  const below = Map.groupBy(groups, above);
  const from = (parent: string | null, depth: number): GroupInTree[] =>
    (below.get(parent) ?? [])
      .toSorted((a, b) => a.name.localeCompare(b.name))
      .flatMap((group) => [{ group, depth }, ...from(group.group_id, depth + 1)]);
  return from(null, 0);
}
