import type { Overview } from '#src/api/dashboard/shapes.ts';
import { html } from '../../html.ts';
import { kwh, percent } from '../../parts/format.ts';
import { Card } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { type End, FlowPicture, isEven, type Sides } from './flow-picture.ts';

type Flow = NonNullable<Overview['flows']>['today'];

type Measure = { [Name in keyof Flow]: Flow[Name] extends number | null ? Name : never }[keyof Flow];

/** How it is called. */
type Name = 'production' | 'gridImport' | 'discharged' | 'gridExport' | 'charged' | 'consumption' | 'untracked';

/** What flowed, in the order of its way through the home, and the colour that it is drawn in. */
const FROM: readonly [Measure, Name, string][] = [
  ['production_kwh', 'production', '--sun'],
  ['grid_import_kwh', 'gridImport', '--mains'],
  ['discharged_kwh', 'discharged', '--battery'],
];
const TO: readonly [Measure, Name, string][] = [
  ['grid_export_kwh', 'gridExport', '--mains'],
  ['charged_kwh', 'charged', '--battery'],
];
/** Where single devices tell something: else all of it is untracked. */
const USED: readonly [Measure, Name][] = [
  ['consumption_kwh', 'consumption'],
  ['untracked_kwh', 'untracked'],
];

/** Where a home's energy came from and went, of one with more than meters that add up. */
export function Flows({
  flows,
  today,
  month,
}: Pick<Overview, 'today' | 'month'> & { flows: NonNullable<Overview['flows']> }) {
  const { home } = words();
  const w = home.flows;
  const { today: now, month: so_far } = flows;
  const row = (name: string, [first, second]: (number | null)[], unit = kwh) =>
    (first ?? second ?? null) === null
      ? null
      : html`<tr><th scope="row">${name}</th><td data-name=${home.today}>${shown(first, unit)}</td><td data-name=${home.thisMonth}>${shown(second, unit)}</td></tr>`;
  const rowOf = ([measure, name]: readonly [Measure, Name, string?]) => row(w[name], [now[measure], so_far[measure]]);
  // What the home has no device for is not drawn; what it has one for is, in both pictures.
  const ends = (of: typeof FROM, flow: Flow): End[] =>
    of
      .filter(([measure]) => (now[measure] ?? so_far[measure]) !== null)
      .map(([measure, name, colour]) => ({ name: w[name], colour, kwh: flow[measure] }));
  const sides = (flow: Flow, used: number | null): Sides => ({
    from: ends(FROM, flow),
    to: [{ name: w.used, colour: '--accent', kwh: used }, ...ends(TO, flow)],
  });
  // Without a meter at the connection point what is used is not what came in.
  const hasGrid = (now.grid_import_kwh ?? so_far.grid_import_kwh) !== null;
  const pictures = hasGrid
    ? [
        { title: home.today, ...sides(now, today.kwh_used) },
        { title: home.thisMonth, ...sides(so_far, month.kwh_used) },
      ]
    : [];
  const doubts = doubtsOf(so_far, pictures.every(isEven));
  return html`<${Card} title=${w.title}>
    ${hasGrid && html`<div class="flows">${pictures.map((picture) => html`<${FlowPicture} ...${picture} />`)}</div>`}
    <div class="table"><table>
      <thead><tr><td></td><th scope="col">${home.today}</th><th scope="col">${home.thisMonth}</th></tr></thead>
      <tbody>
        ${FROM.map(rowOf)}
        ${TO.map(rowOf)}
        ${row(w.used, [today.kwh_used, month.kwh_used])}
        ${(now.consumption_kwh ?? so_far.consumption_kwh) !== null && USED.map(rowOf)}
        ${row(w.autarky, [now.autarky, so_far.autarky], percent)}
      </tbody>
    </table></div>
    ${doubts.length > 0 && html`<p class="quiet">${w.doubts(doubts.join('; '))}</p>`}
  <//>`;
}

/** Of a time up to now the last minutes are never known. */
const MOSTLY = 0.9;

/** Why not all of it is known. `addsUp`: what came in is what went out. */
function doubtsOf({ coverage, grid_export_kwh, production_kwh, discharged_kwh }: Flow, addsUp: boolean): string[] {
  const w = words().home.flows;
  const isFedFromNowhere = (grid_export_kwh ?? 0) > 0 && production_kwh === null && discharged_kwh === null;
  return [
    ...((coverage ?? 1) < MOSTLY ? [w.silent] : []),
    ...(isFedFromNowhere ? [w.fromNowhere] : []),
    ...(addsUp || isFedFromNowhere ? [] : [w.otherTimes]),
  ];
}

const shown = (value: number | null | undefined, unit: (value: number) => string) =>
  value === null || value === undefined ? '–' : unit(value);
