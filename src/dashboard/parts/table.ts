import { type Children, html } from '../html.ts';

/** Column of a table: its heading, and a function that renders its cell. `short`: heading on a phone. */
type Column<Row> = readonly [name: string, cell: (row: Row) => Children, short?: string];
export type Columns<Row> = readonly Column<Row>[];

/**
 * Renders rows as a table, on a phone as cards. The first column names the row. `actions`: buttons at the end of a row. `current`: the
 * selected row.
 */
export function renderTable<Row>(
  rows: readonly Row[],
  columns: Columns<Row>,
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
