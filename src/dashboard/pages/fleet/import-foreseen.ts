import type { ImportCheck } from '#src/api/dashboard/shapes.ts';
import { html } from '../../html.ts';
import { busy } from '../../parts/ui.ts';
import { count } from '../../words/locale.ts';
import { words } from '../../words/words.ts';
import { placeIn } from './place-in.ts';

const SHOWN = 100;

/** What an import of a table without mistakes would do, and the button that does it. */
export function Foreseen({ of, isBusy, onImport }: { of: ImportCheck; isBusy: boolean; onImport: () => void }) {
  const w = words().fleet.imports;
  return html`<p role="status"><b>${w.right}</b> ${of.created === 0 && w.nothing}</p>
    <dl class="facts">
      <dt>${w.rows}</dt><dd>${count(of.rows)}</dd>
      <dt>${w.created}</dt><dd>${count(of.created)}</dd>
      <dt>${w.existing}</dt><dd>${count(of.existing)}</dd>
      <dt>${w.usersCreated}</dt><dd>${count(of.users_created)}</dd>
    </dl>
    <${Differing} of=${of.differing} />
    ${
      of.created > 0 &&
      html`<p class="actions"><button type="button" class="main" ...${busy(isBusy)} onClick=${() => isBusy || onImport()}>${w.import({ devices: of.created })}</button></p>`
    }`;
}

/** Rows whose devices are there already with other settings. */
export function Differing({ of }: { of: ImportCheck['differing'] }) {
  const w = words().fleet.imports;
  if (of.length === 0) return null;
  return html`<details class="more">
    <summary>${w.differing({ rows: of.length })}</summary>
    <ul>${of
      .slice(0, SHOWN)
      .map(
        ({ row, members }) =>
          html`<li>${w.ofLine({ line: count(placeIn(row).line ?? 0) })} <code>${members.join(', ')}</code></li>`,
      )}</ul>
  </details>`;
}
