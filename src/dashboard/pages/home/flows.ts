import type { Period } from '#src/api/dashboard/shapes.ts';
import { html } from '../../html.ts';
import { kwh, percent } from '../../parts/format.ts';
import { Card } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { type End, FlowPicture, isEven, type Sides } from './flow-picture.ts';

type Flow = NonNullable<Period['flows']>;

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

/** Where a home's energy came from and went, of one with more than meters that add up. `title`: what time it was. */
export function Flows({ flows, used, title }: { flows: Flow; used: number | null; title: string }) {
  const { flows: w } = words().home;
  const row = (name: string, value: number | null, unit = kwh) =>
    value === null ? null : html`<tr><th scope="row">${name}</th><td>${unit(value)}</td></tr>`;
  const rowOf = ([measure, name]: readonly [Measure, Name, string?]) => row(w[name], flows[measure]);
  // What the home has no device for is not drawn.
  const ends = (of: typeof FROM): End[] =>
    of
      .filter(([measure]) => flows[measure] !== null)
      .map(([measure, name, colour]) => ({ name: w[name], colour, kwh: flows[measure] }));
  const sides: Sides = { from: ends(FROM), to: [{ name: w.used, colour: '--accent', kwh: used }, ...ends(TO)] };
  // Without a meter at the connection point what is used is not what came in.
  const hasGrid = flows.grid_import_kwh !== null;
  const doubts = doubtsOf(flows, !hasGrid || isEven(sides));
  return html`<${Card} title=${w.title}>
    <div class="flows">
      ${hasGrid && html`<${FlowPicture} title=${title} ...${sides} />`}
      <table>
        <tbody>
          ${FROM.map(rowOf)}
          ${TO.map(rowOf)}
          ${row(w.used, used)}
          ${flows.consumption_kwh !== null && USED.map(rowOf)}
          ${row(w.autarky, ownUseOf(flows, used)?.share ?? null, percent)}
        </tbody>
      </table>
    </div>
    ${doubts.length > 0 && html`<p class="quiet">${w.doubts({ doubts: doubts.join('; ') })}</p>`}
  <//>`;
}

/** What a home used of its own energy, from the roof or the battery, and its share of the usage; what went into the battery is not used yet. */
interface OwnUse {
  kwh: number;
  share: number;
  /** Null: no battery, or not known. */
  storedKwh: number | null;
}

/** The same of a time; null in a home that produces nothing, and where it is not known. `used`: kWh. Pure. */
export function ownUseOf(flows: Flow, used: number | null): OwnUse | null {
  const { production_kwh, grid_import_kwh, charged_kwh, autarky } = flows;
  if (production_kwh === null || grid_import_kwh === null || used === null || autarky === null) return null;
  return { kwh: Math.max(0, used - grid_import_kwh), share: autarky, storedKwh: charged_kwh };
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
