import type { Group } from '#clients/typescript/client.ts';
import { call } from '../../api.ts';
import { html } from '../../html.ts';
import { useAction } from '../../parts/load.ts';
import { CreateOrCancel, Dialog, Field } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { inTree } from './tree.ts';

/** Asks for the name of a group and what it is a part of, and makes it. */
export function CreateGroup(props: { all: readonly Group[]; onMade: (made: Group) => void; onClose: () => void }) {
  const { all, onMade, onClose } = props;
  const { common, groups: w } = words();
  const { run, isBusy, error } = useAction();
  const create = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.target as HTMLFormElement);
    const text = (name: string) => String(given.get(name)).trim() || null;
    run(async () => {
      const body = { name: text('name') ?? '', kind: text('kind'), parent_group_id: text('parent_group_id') };
      onMade(await call<Group>('POST', '/v1/groups', body));
    });
  };
  return html`<${Dialog} title=${w.create} onClose=${onClose}>
    <form onSubmit=${create}>
      <${Field} label=${common.name}>
        ${(attributes: object) => html`<input ...${attributes} name="name" maxlength="100" required autocomplete="off" />`}
      <//>
      <${Field} label=${w.kind} hint=${w.kindHint}>
        ${(attributes: object) => html`<input ...${attributes} name="kind" maxlength="50" autocomplete="off" />`}
      <//>
      <${Field} label=${w.partOf}>
        ${(attributes: object) => html`<select ...${attributes} name="parent_group_id">
          <option value="">${w.ofNothing}</option>
          ${inTree(all).map(({ group, depth }) => html`<option value=${group.group_id}>${'\u2003'.repeat(depth)}${group.name}</option>`)}
        </select>`}
      <//>
      <${CreateOrCancel} error=${error} isBusy=${isBusy} onCancel=${onClose} />
    </form>
  <//>`;
}
