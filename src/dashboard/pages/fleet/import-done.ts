import { useState } from 'preact/hooks';
import type { DeviceImport } from '#clients/typescript/client.ts';
import { html } from '../../html.ts';
import { words } from '../../words/words.ts';
import { Differing } from './import-foreseen.ts';
import { Passwords } from './import-passwords.ts';

/** What came of an import, with the way to its passwords. */
export function ImportDone({ made, onAnother }: { made: DeviceImport; onAnother: () => void }) {
  const w = words().fleet.imports;
  const [isOver, setOver] = useState(made.credentials === 'gone');
  return html`<p role="status">${w.imported({ created: made.created, existing: made.existing, users: made.users_created })}</p>
    <${Differing} of=${made.differing} />
    ${made.credentials === 'waiting' && html`<${Passwords} of=${made} onTaken=${() => setOver(true)} />`}
    ${isOver && html`<p class="actions"><button type="button" onClick=${onAnother}>${w.another}</button></p>`}`;
}
