import { useState } from 'preact/hooks';
import type { Key } from '#clients/typescript/client.ts';
import { call, list } from '../api.ts';
import { html } from '../html.ts';
import { Rows } from '../parts/focus.ts';
import { useAction, useLoad } from '../parts/load.ts';
import { rich } from '../parts/rich.ts';
import { Card, Loading, Problem } from '../parts/ui.ts';
import { useSession } from '../session.ts';
import { words } from '../words/words.ts';
import { CreateKey } from './keys/create-key.ts';
import { isOver } from './keys/key.ts';
import { KeyRow } from './keys/key-row.ts';
import { LimitKey } from './keys/limit-key.ts';
import { RotateKey } from './keys/rotate-key.ts';

/** API Keys: those of the account that is signed in, whoever's data are looked at. */
export function Page() {
  const { me } = useSession();
  const { common, keys: w } = words();
  const keys = useLoad(() => list<Key>('/v1/keys?limit=200'), []);
  const [open, setOpen] = useState<'create' | { rotate: Key } | { limit: Key } | null>(null);
  const { run, error } = useAction();
  const close = () => setOpen(null);
  const revoke = (key: Key) =>
    run(async () => {
      await call('DELETE', `/v1/keys/${key.key_id}`);
      keys.again();
    });
  return html`
    <h1>${common.pages.keys}</h1>
    <p>${rich(
      me.role === 'homeowner' ? w.about : w.aboutRole({ role: common.roles[me.role] }),
      (name) => html`<a href="/docs" target="_blank" rel="noreferrer">${name}</a>`,
    )}</p>
    <${Card}
      title=${w.yours}
      actions=${html`<button type="button" class="main" onClick=${() => setOpen('create')}>${w.create}</button>`}
    >
      <${Problem} text=${error} />
      <${Rows} label=${w.list}>
        <${Loading} of=${keys}>
          ${(all: Key[]) => (all.length === 0 ? empty() : table(all))}
        <//>
      <//>
    <//>
    ${open === 'create' && html`<${CreateKey} onMade=${keys.again} onClose=${close} />`}
    ${open !== null && open !== 'create' && 'rotate' in open && html`<${RotateKey} of=${open.rotate} onMade=${keys.again} onClose=${close} />`}
    ${open !== null && open !== 'create' && 'limit' in open && html`<${LimitKey} of=${open.limit} onDone=${keys.again} onClose=${close} />`}
  `;

  function table(all: Key[]) {
    // The youngest first (identifiers grow with time), what is over last.
    const shown = all.toReversed().sort((a, b) => Number(isOver(a)) - Number(isOver(b)));
    return html`<div class="table"><table>
      <thead><tr>
        <th scope="col">${common.name}</th><th scope="col">${w.key}</th><th scope="col">${w.mayDo}</th><th scope="col">${w.allowed}</th><th scope="col">${common.made}</th>
        <th scope="col">${w.lastUsed}</th><th scope="col">${w.expires}</th><td></td>
      </tr></thead>
      <tbody>
        ${shown.map(
          (key) => html`<${KeyRow}
            key=${key.key_id}
            of=${key}
            zone=${me.timezone}
            onLimit=${() => setOpen({ limit: key })}
            onRotate=${() => setOpen({ rotate: key })}
            onRevoke=${() => revoke(key)}
          />`,
        )}
      </tbody>
    </table></div>`;
  }
}

const empty = () => html`<p>${words().keys.empty}</p>
  <ol>${Object.values(words().keys.firstSteps).map((step) => html`<li>${rich(step)}</li>`)}</ol>`;
