import type { Overview } from '#src/api/dashboard/shapes.ts';
import { html } from '../../html.ts';
import { kwh, percent } from '../../parts/format.ts';
import { Card } from '../../parts/ui.ts';
import { type End, FlowPicture, isEven, type Sides } from './flow-picture.ts';

type Flow = NonNullable<Overview['flows']>['today'];

type Measure = { [Name in keyof Flow]: Flow[Name] extends number | null ? Name : never }[keyof Flow];

/** What flowed, in the order of its way through the home, and the colour that it is drawn in. */
const FROM: readonly [Measure, string, string][] = [
  ['production_kwh', 'Produced', '--sun'],
  ['grid_import_kwh', 'From the grid', '--mains'],
  ['discharged_kwh', 'From the battery', '--battery'],
];
const TO: readonly [Measure, string, string][] = [
  ['grid_export_kwh', 'Fed into the grid', '--mains'],
  ['charged_kwh', 'Into the battery', '--battery'],
];
/** Where single devices tell something: else all of it is untracked. */
const USED: readonly [Measure, string][] = [
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
  const rowOf = ([measure, name]: readonly [Measure, string, string?]) => row(name, [now[measure], so_far[measure]]);
  // What the home has no device for is not drawn; what it has one for is, in both pictures.
  const ends = (of: typeof FROM, flow: Flow): End[] =>
    of
      .filter(([measure]) => (now[measure] ?? so_far[measure]) !== null)
      .map(([measure, name, colour]) => ({ name, colour, kwh: flow[measure] }));
  const sides = (flow: Flow, used: number | null): Sides => ({
    from: ends(FROM, flow),
    to: [{ name: 'Used', colour: '--accent', kwh: used }, ...ends(TO, flow)],
  });
  // Without a meter at the connection point what is used is not what came in.
  const hasGrid = (now.grid_import_kwh ?? so_far.grid_import_kwh) !== null;
  const pictures = hasGrid
    ? [
        { title: 'Today', ...sides(now, today.kwh_used) },
        { title: 'This month', ...sides(so_far, month.kwh_used) },
      ]
    : [];
  const doubts = doubtsOf(so_far, pictures.every(isEven));
  return html`<${Card} title="From where, and where to">
    ${hasGrid && html`<div class="flows">${pictures.map((picture) => html`<${FlowPicture} ...${picture} />`)}</div>`}
    <div class="table"><table>
      <thead><tr><td></td><th scope="col">Today</th><th scope="col">This month</th></tr></thead>
      <tbody>
        ${FROM.map(rowOf)}
        ${TO.map(rowOf)}
        ${row('Used', [today.kwh_used, month.kwh_used])}
        ${(now.consumption_kwh ?? so_far.consumption_kwh) !== null && USED.map(rowOf)}
        ${row('Self-sufficient', [now.autarky, so_far.autarky], percent)}
      </tbody>
    </table></div>
    ${
      doubts.length > 0 &&
      html`<p class="quiet">Not all of it is known: ${doubts.join('; ')}. Under Devices you say where each one sits.</p>`
    }
  <//>`;
}

/** Of a time up to now the last minutes are never known. */
const MOSTLY = 0.9;

/** Why not all of it is known. `addsUp`: what came in is what went out. */
function doubtsOf({ coverage, grid_export_kwh, production_kwh, discharged_kwh }: Flow, addsUp: boolean): string[] {
  const isFedFromNowhere = (grid_export_kwh ?? 0) > 0 && production_kwh === null && discharged_kwh === null;
  return [
    ...((coverage ?? 1) < MOSTLY ? ['a meter was silent'] : []),
    ...(isFedFromNowhere ? ['something was fed in that no device here produces'] : []),
    ...(addsUp || isFedFromNowhere
      ? []
      : ['a device tells of a time in which another one was silent or not there yet']),
  ];
}

const shown = (value: number | null | undefined, unit: (value: number) => string) =>
  value === null || value === undefined ? '–' : unit(value);
