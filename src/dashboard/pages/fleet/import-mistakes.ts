import type { ImportCheck } from '#src/api/dashboard/shapes.ts';
import { html } from '../../html.ts';
import { count } from '../../words/locale.ts';
import { words } from '../../words/words.ts';
import { placeIn } from './place-in.ts';

/** The first tell enough: who has more corrects a column, not a cell. */
const SHOWN = 100;

/** What is wrong with a table, by line and column. */
export function Mistakes({ of }: { of: ImportCheck['mistakes'] }) {
  const w = words().fleet.imports;
  const placed = of
    .map((one) => ({ ...placeIn(one.field), message: one.message }))
    .sort((one, other) => (one.line ?? 0) - (other.line ?? 0));
  return html`<p class="problem" role="alert">${w.mistakes({ mistakes: of.length })}</p>
    <div class="table"><table>
      <thead><tr><th scope="col">${w.line}</th><th scope="col">${w.column}</th><th scope="col">${w.wrong}</th></tr></thead>
      <tbody>${placed.slice(0, SHOWN).map(
        ({ line, member, message }) => html`<tr>
          <th scope="row" data-name=${w.line}>${line === null ? w.wholeTable : count(line)}</th>
          <td data-name=${w.column}>${member === null ? w.wholeLine : html`<code>${member}</code>`}</td>
          <td data-name=${w.wrong}>${message}</td>
        </tr>`,
      )}</tbody>
    </table></div>
    ${of.length > SHOWN && html`<p class="quiet">${w.more({ mistakes: of.length - SHOWN })}</p>`}`;
}
