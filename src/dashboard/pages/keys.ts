import { useState } from 'preact/hooks';
import type { Key } from '#clients/typescript/client.ts';
import { call, list } from '../api.ts';
import { html } from '../html.ts';
import { Rows } from '../parts/focus.ts';
import { useAction, useLoad } from '../parts/load.ts';
import { Card, Loading, Problem } from '../parts/ui.ts';
import { useSession } from '../session.ts';
import { CreateKey } from './keys/create-key.ts';
import { isOver } from './keys/key.ts';
import { KeyRow } from './keys/key-row.ts';
import { RotateKey } from './keys/rotate-key.ts';

/** API Keys: those of the account that is signed in, whoever's data are looked at. */
export function Page() {
  const { me } = useSession();
  const keys = useLoad(() => list<Key>('/v1/keys?limit=200'), []);
  const [open, setOpen] = useState<'create' | Key | null>(null);
  const { run, error } = useAction();
  const close = () => setOpen(null);
  const revoke = (key: Key) =>
    run(async () => {
      await call('DELETE', `/v1/keys/${key.key_id}`);
      keys.again();
    });
  return html`
    <h1>API Keys</h1>
    <p>A key lets a program of yours ask this service${me.role === 'homeowner' ? '' : ` with all that you may do (${me.role})`}.
      The API reference is at <a href="/docs" target="_blank" rel="noreferrer">/docs</a>.</p>
    <${Card}
      title="Your keys"
      actions=${html`<button type="button" class="main" onClick=${() => setOpen('create')}>Create New Key</button>`}
    >
      <${Problem} text=${error} />
      <${Rows} label="List of keys">
        <${Loading} of=${keys}>
          ${(all: Key[]) => (all.length === 0 ? empty : table(all))}
        <//>
      <//>
    <//>
    ${open === 'create' && html`<${CreateKey} onMade=${keys.again} onClose=${close} />`}
    ${open !== null && open !== 'create' && html`<${RotateKey} of=${open} onMade=${keys.again} onClose=${close} />`}
  `;

  function table(all: Key[]) {
    // The youngest first (identifiers grow with time), what is over last.
    const shown = all.toReversed().sort((a, b) => Number(isOver(a)) - Number(isOver(b)));
    return html`<div class="table"><table>
      <thead><tr>
        <th scope="col">Name</th><th scope="col">Key</th><th scope="col">May do</th><th scope="col">Made</th>
        <th scope="col">Last used</th><th scope="col">Expires</th><td></td>
      </tr></thead>
      <tbody>
        ${shown.map(
          (key) => html`<${KeyRow}
            key=${key.key_id}
            of=${key}
            zone=${me.timezone}
            onRotate=${() => setOpen(key)}
            onRevoke=${() => revoke(key)}
          />`,
        )}
      </tbody>
    </table></div>`;
  }
}

const empty = html`<p>You have no key yet. To get started:</p>
  <ol>
    <li>Press <b>Create New Key</b>; everything is filled in already.</li>
    <li>Copy the key: it is shown once.</li>
    <li>Paste the <code>curl</code> line that stands below it into a terminal, and see your usage.</li>
  </ol>`;
