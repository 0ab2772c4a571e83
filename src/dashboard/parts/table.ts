import { type Children, html } from '../html.ts';

/**
 * Column of a table: its heading, and a function that renders its cell. `short`: name of the column on a phone, if the heading is too long
 * for it.
 */
type Column<Row> = readonly [name: string, cell: (row: Row) => Children, short?: string];

/**
 * Renders rows as a table. On a phone, each row is a card, and each cell has the name of its column. The first column names the row.
 * `actions`: buttons at the end of a row. `current`: the selected row.
 */
export function renderTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  options: { key?: (row: Row) => string; actions?: (row: Row) => Children; current?: Row | undefined } = {},
) {
  const { key, actions, current } = options;
  return html`<div class="table"><table>
    <thead><tr>${columns.map(([name]) => html`<th scope="col">${name}</th>`)}${actions && html`<td></td>`}</tr></thead>
    <tbody>
      ${rows.map(
        (
          row,
        ) => html`<tr key=${key?.(row)} aria-current=${current !== undefined && row === current ? 'true' : undefined}>
          ${columns.map(([name, cell, short = name], index) =>
            index === 0
              ? html`<th scope="row" data-name=${short}>${cell(row)}</th>`
              : html`<td data-name=${short}>${cell(row)}</td>`,
          )}
          ${actions && html`<td><div class="actions">${actions(row)}</div></td>`}
        </tr>`,
      )}
    </tbody>
  </table></div>`;
}
