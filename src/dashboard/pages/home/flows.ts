import type { Overview } from '#src/api/dashboard/shapes.ts';
import { html } from '../../html.ts';
import { kwh, percent } from '../../parts/format.ts';
import { Card } from '../../parts/ui.ts';

type Flow = NonNullable<Overview['flows']>['today'];

/** What flowed, in the order of its way through the home. */
const ROWS: readonly [keyof Flow, string][] = [
  ['grid_import_kwh', 'From the grid'],
  ['production_kwh', 'Produced'],
  ['discharged_kwh', 'From the battery'],
  ['grid_export_kwh', 'Fed into the grid'],
  ['charged_kwh', 'Into the battery'],
];
/** Where single devices tell something: else all of it is untracked. */
const USED: readonly [keyof Flow, string][] = [
  ['consumption_kwh', 'Told by single devices'],
  ['untracked_kwh', 'Untracked'],
];

/** Where a home's energy came from and went, of one with more than meters that add up. */
export function Flows({
  flows,
  today,
  month,
}: Pick<Overview, 'today' | 'month'> & { flows: NonNullable<Overview['flows']> }) {
  const { today: now, month: so_far } = flows;
  const row = (name: string, [first, second]: (number | null)[], unit = kwh) =>
    (first ?? second ?? null) === null
      ? null
      : html`<tr><th scope="row">${name}</th><td data-name="Today">${shown(first, unit)}</td><td data-name="This month">${shown(second, unit)}</td></tr>`;
  const rowOf = ([measure, name]: readonly [keyof Flow, string]) =>
    row(name, [now[measure] as number | null, so_far[measure] as number | null]);
  return html`<${Card} title="From where, and where to">
    <div class="table"><table>
      <thead><tr><td></td><th scope="col">Today</th><th scope="col">This month</th></tr></thead>
      <tbody>
        ${ROWS.map(rowOf)}
        ${row('Used', [today.kwh_used, month.kwh_used])}
        ${(now.consumption_kwh ?? so_far.consumption_kwh) !== null && USED.map(rowOf)}
        ${row('Self-sufficient', [now.autarky, so_far.autarky], percent)}
      </tbody>
    </table></div>
    ${isPartly(so_far) && html`<p class="quiet">${WHY}</p>`}
  <//>`;
}

/** Of a time up to now the last minutes are never known. */
const MOSTLY = 0.9;
/** Something was silent, or was fed in that came from nowhere. */
const isPartly = ({ coverage, grid_export_kwh, production_kwh, discharged_kwh }: Flow) =>
  (coverage ?? 1) < MOSTLY || ((grid_export_kwh ?? 0) > 0 && production_kwh === null && discharged_kwh === null);

const WHY =
  'Not all of it is known: a meter was silent, or something was fed in that no device here produces. Under Devices you say where each one sits.';

const shown = (value: number | null | undefined, unit: (value: number) => string) =>
  value === null || value === undefined ? '–' : unit(value);
