import type { Period } from '#src/api/dashboard/shapes.ts';
import { html } from '../../html.ts';
import { kwh, percent } from '../../parts/format.ts';
import { Card } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';

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

/** One thing that energy comes from or goes to. */
interface End {
  name: string;
  /** Of its band: a name of the style sheet. */
  colour: string;
  /** Null: not known. */
  kwh: number | null;
}

/** What flows in and what flows out; where they differ nothing can be drawn. */
interface Sides {
  from: End[];
  to: End[];
}
const energies = (ends: End[]) => ends.map((end) => end.kwh ?? 0);
const isEven = ({ from, to }: Sides): boolean => addsUp(energies(from), energies(to));

/** What came from where, and went where to: bands as wide as the energy. Its figures are told to who does not see it. */
function FlowPicture({ title, from, to }: Sides & { title: string }) {
  const none = (text: string) =>
    html`<figure class="flow"><figcaption>${title}</figcaption><p class="quiet">${text}</p></figure>`;
  if ([...from, ...to].every((end) => !end.kwh)) return none(words().common.nothingKnown);
  if (!isEven({ from, to })) return none(words().home.flows.unequal);
  const { heightPx, left, right, bar } = ribbonsOf(energies(from), energies(to));
  const paths = (ends: End[], ribbons: typeof left) =>
    ribbons.map(({ path, index }) => html`<path d=${path} fill=${`var(${ends[index]?.colour})`} />`);
  return html`<figure class="flow">
    <figcaption>${title}</figcaption>
    <div role="img" aria-label=${`${title}: ${sentence(from)}; ${sentence(to)}`}>
      <${Names} ends=${from} />
      <svg viewBox=${`0 0 ${WIDTH} ${heightPx}`} preserveAspectRatio="none" height=${heightPx}>
        ${paths(from, left)}${paths(to, right)}
        <rect ...${bar} fill="var(--quiet)" />
      </svg>
      <${Names} ends=${to} />
    </div>
  </figure>`;
}

/** Names and figures at one side, spread evenly over its height as the bands are. */
const Names = ({ ends }: { ends: End[] }) =>
  html`<div class="ends-of-flow">${ends.map((end) => html`<span>${end.name}<b>${figure(end)}</b></span>`)}</div>`;

const figure = (end: End) => (end.kwh === null ? '–' : kwh(end.kwh));
const sentence = (ends: End[]) => ends.map((end) => `${end.name} ${figure(end)}`).join(', ');

/** A band between a name at the side of a picture and the bar in its middle, as wide as the energy that flows. */
interface Ribbon {
  /** Of an SVG path. */
  path: string;
  /** Of the list that it was made of. */
  index: number;
}

/** Height of a name with its figure, in pixels. */
export const NAME_PX = 64;
/** The picture is so wide, in units that stretch with the page. */
const WIDTH = 100;
/** Share of the height that bands take at most, so that they stand apart. */
const FILLED = 0.8;
/** Left edge of the bar in the middle, and its width. */
const BAR = { x: 49, width: 2 };
/** Length of the point that a band ends in. */
const TIP = 5;

/**
 * Bands from what flows in (left) to what flows out (right), through a bar in the middle: what came from where to where is not
 * measured, only how much of each. `heightPx`: names are spread evenly over it on both sides. Pure.
 */
export function ribbonsOf(
  inKwh: readonly number[],
  outKwh: readonly number[],
): { heightPx: number; left: Ribbon[]; right: Ribbon[]; bar: { x: number; y: number; width: number; height: number } } {
  const heightPx = NAME_PX * Math.max(inKwh.length, outKwh.length, 1);
  const [inSum, outSum] = [sum(inKwh), sum(outKwh)];
  const widest = Math.max(...inKwh, ...outKwh, 0);
  const most = Math.max(inSum, outSum);
  // Nothing flows: the bands have no width, whatever the scale.
  const pxPerKwh = most === 0 ? 0 : FILLED * Math.min(heightPx / most, NAME_PX / widest);
  const bands = (energies: readonly number[], draw: (side: number, bar: number, px: number) => string): Ribbon[] => {
    let top = (heightPx - sum(energies) * pxPerKwh) / 2;
    return energies.flatMap((kwh, index) => {
      const px = kwh * pxPerKwh;
      const middle = (heightPx * (index + 0.5)) / energies.length;
      const path = draw(middle - px / 2, top, px);
      top += px;
      return kwh > 0 ? [{ path, index }] : [];
    });
  };
  return {
    heightPx,
    left: bands(inKwh, (side, bar, px) => band(0, side, BAR.x, bar, px, 0)),
    right: bands(outKwh, (side, bar, px) => band(BAR.x + BAR.width, bar, WIDTH, side, px, TIP)),
    bar: { ...BAR, y: (heightPx - most * pxPerKwh) / 2, height: most * pxPerKwh },
  };
}

/** From (x1, y1) to (x2, y2), its upper edge; the last `tip` of it is a point. */
function band(x1: number, y1: number, x2: number, y2: number, px: number, tip: number): string {
  const [end, half] = [x2 - tip, (x1 + x2 - tip) / 2];
  const at = (x: number, y: number) => `${round(x)} ${round(y)}`;
  return [
    `M${at(x1, y1)}`,
    `C${at(half, y1)} ${at(half, y2)} ${at(end, y2)}`,
    `L${at(x2, y2 + px / 2)} ${at(end, y2 + px)}`,
    `C${at(half, y2 + px)} ${at(half, y1 + px)} ${at(x1, y1 + px)}Z`,
  ].join('');
}

/** Each figure is rounded to a Wh; what is known of the last minutes differs a little from device to device. */
const ROUNDED_KWH = 0.01;
const NEARLY = 0.01;

/** Whether what flows in flows out again. It does not where parts are of another time, or where one is missing. Pure. */
export function addsUp(inKwh: readonly number[], outKwh: readonly number[]): boolean {
  const [into, out] = [sum(inKwh), sum(outKwh)];
  return Math.abs(into - out) <= Math.max(ROUNDED_KWH, NEARLY * Math.max(into, out));
}

const sum = (energies: readonly number[]) => energies.reduce((all, kwh) => all + kwh, 0);
const round = (value: number) => Math.round(value * 100) / 100;
