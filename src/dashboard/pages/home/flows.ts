import type { Period } from '#src/api/dashboard/shapes.ts';
import { html } from '../../html.ts';
import { formatKwh, formatPercent } from '../../parts/format.ts';
import { Card } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';

type Flow = NonNullable<Period['flows']>;

type Measure = { [Name in keyof Flow]: Flow[Name] extends number | null ? Name : never }[keyof Flow];

/** Key in `words/` for the name of an energy flow. */
type Name = 'production' | 'gridImport' | 'discharged' | 'gridExport' | 'charged' | 'consumption' | 'untracked';

/** Measures of the energy that flows into the home and out of it, each with its name, colour and position in the diagram. */
const FROM: readonly [Measure, Name, string][] = [
  ['production_kwh', 'production', '--sun'],
  ['grid_import_kwh', 'gridImport', '--mains'],
  ['discharged_kwh', 'discharged', '--battery'],
];
const TO: readonly [Measure, Name, string][] = [
  ['grid_export_kwh', 'gridExport', '--mains'],
  ['charged_kwh', 'charged', '--battery'],
];
/** Measures of used energy. Untracked usage (which no device measures) is shown only if some devices are measured. */
const USED: readonly [Measure, Name][] = [
  ['consumption_kwh', 'consumption'],
  ['untracked_kwh', 'untracked'],
];

/** Card with the energy flows of a home that has production, a battery or measured devices. `title`: name of the displayed period. */
export function EnergyFlowDiagram(props: {
  flows: Flow;
  used: number | null;
  devices: Period['devices'];
  title: string;
}) {
  const { flows, used, devices, title } = props;
  const { flows: w } = words().home;
  const row = (name: string, value: number | null, unit = formatKwh) =>
    value === null ? null : html`<tr><th scope="row">${name}</th><td>${unit(value)}</td></tr>`;
  const rowOf = ([measure, name]: readonly [Measure, Name, string?]) => row(w[name], flows[measure]);
  // Omits flows for which the home has no device.
  const ends = (of: typeof FROM): End[] =>
    of
      .filter(([measure]) => flows[measure] !== null)
      .map(([measure, name, colour]) => ({ name: w[name], colour, kwh: flows[measure] }));
  const sides: Sides = { from: ends(FROM), to: [...listConsumers(flows, used, devices).map(endOfUse), ...ends(TO)] };
  // Without a grid meter, a part of the inflow is not measured.
  const hasGrid = flows.grid_import_kwh !== null;
  const doubts = doubtsOf(flows, !hasGrid || isEven(sides));
  return html`<${Card} title=${w.title}>
    <div class="flows">
      ${hasGrid && html`<${FlowPicture} title=${used === null ? title : `${title}: ${words().common.chart.used} ${formatKwh(used)}`} ...${sides} />`}
      <table>
        <tbody>
          ${FROM.map(rowOf)}
          ${TO.map(rowOf)}
          ${row(words().common.chart.used, used)}
          ${flows.consumption_kwh !== null && USED.map(rowOf)}
          ${row(w.autarky, findSelfConsumption(flows, used)?.share ?? null, formatPercent)}
        </tbody>
      </table>
    </div>
    ${doubts.length > 0 && html`<p class="quiet">${w.doubts({ doubts: doubts.join('; ') })}</p>`}
  <//>`;
}

/** Maximum number of devices in the diagram. Further devices are combined. */
const MAX_DEVICES = 5;

/** A consumer in the diagram: a device, the other devices combined, the usage that no device measures, or the whole usage. */
type Use = { kwh: number | null } & (
  | { kind: 'device'; name: string }
  | { kind: 'others'; count: number }
  | { kind: 'untracked' | 'all' }
);

/**
 * Returns the consumers in the diagram, largest first. Omits a device whose energy is included in that of another consumer. If the devices
 * measured more than the home used, returns only the whole usage.
 */
export function listConsumers(
  { consumption_kwh, untracked_kwh }: Pick<Flow, 'consumption_kwh' | 'untracked_kwh'>,
  used: number | null,
  devices: readonly Pick<
    Period['devices'][number],
    'device_id' | 'location' | 'placement' | 'upstream_device_id' | 'import_kwh'
  >[],
): Use[] {
  const consumers = devices.filter(({ placement }) => placement === 'consumption');
  const top = consumers
    .filter(({ upstream_device_id }) => !consumers.some(({ device_id }) => device_id === upstream_device_id))
    .flatMap(({ location, import_kwh }) =>
      import_kwh ? [{ kind: 'device' as const, name: location, kwh: import_kwh }] : [],
    )
    .toSorted((a, b) => b.kwh - a.kwh);
  const whole: Use[] = [{ kind: 'all', kwh: used }];
  if (top.length === 0 || consumption_kwh === null || untracked_kwh === null || untracked_kwh < -ROUNDED_KWH)
    return whole;
  if (!isFlowBalanced([sum(top.map((one) => one.kwh))], [consumption_kwh])) return whole;
  // A single remaining device is shown by its own name, not as a group.
  const shown = top.length === MAX_DEVICES + 1 ? top.length : MAX_DEVICES;
  const small = top.slice(shown);
  const uses: Use[] = [
    ...top.slice(0, shown),
    ...(small.length === 0
      ? []
      : [{ kind: 'others' as const, count: small.length, kwh: sum(small.map((one) => one.kwh)) }]),
    ...(untracked_kwh > 0 ? [{ kind: 'untracked' as const, kwh: untracked_kwh }] : []),
  ];
  return uses.toSorted((a, b) => (b.kwh ?? 0) - (a.kwh ?? 0));
}

function endOfUse(use: Use): End {
  const { flows: w } = words().home;
  if (use.kind === 'device') return { name: use.name, colour: '--accent', kwh: use.kwh };
  if (use.kind === 'others') return { name: w.others({ count: use.count }), colour: '--accent', kwh: use.kwh };
  if (use.kind === 'untracked') return { name: w.untracked, colour: '--pale', kwh: use.kwh };
  return { name: words().common.chart.used, colour: '--accent', kwh: use.kwh };
}

/** Self-consumption: the usage that came from the home's own production or battery, in kWh and as a share of the whole usage. */
interface OwnUse {
  kwh: number;
  share: number;
  /** Energy that was stored in the battery; null if the home has no battery, or if the energy is unknown. */
  storedKwh: number | null;
}

/** Returns the self-consumption in a period. Null if the home has no production, or if a value is unknown. `used`: whole usage in kWh. */
export function findSelfConsumption(flows: Flow, used: number | null): OwnUse | null {
  const { production_kwh, grid_import_kwh, charged_kwh, autarky } = flows;
  if (production_kwh === null || grid_import_kwh === null || used === null || autarky === null) return null;
  return { kwh: Math.max(0, used - grid_import_kwh), share: autarky, storedKwh: charged_kwh };
}

/** If data exist for this share of the time, they count as complete, because data of the last minutes are always missing. */
const MOSTLY = 0.9;

/** Returns the reasons why the measured flows of a period are incomplete. `addsUp`: whether inflow equals outflow. */
function doubtsOf({ coverage, grid_export_kwh, production_kwh, discharged_kwh }: Flow, addsUp: boolean): string[] {
  const w = words().home.flows;
  const isFedFromNowhere = (grid_export_kwh ?? 0) > 0 && production_kwh === null && discharged_kwh === null;
  return [
    ...((coverage ?? 1) < MOSTLY ? [w.silent] : []),
    ...(isFedFromNowhere ? [w.fromNowhere] : []),
    ...(addsUp || isFedFromNowhere ? [] : [w.otherTimes]),
  ];
}

/** A source or consumer of energy, shown at the left or right end of a band in the diagram. */
interface End {
  name: string;
  /** Name of the CSS custom property with the band's colour, such as --sun. */
  colour: string;
  kwh: number | null;
}

/** Sources (`from`) and consumers (`to`). If their sums differ, no diagram is drawn. */
interface Sides {
  from: End[];
  to: End[];
}
const energies = (ends: End[]) => ends.map((end) => end.kwh ?? 0);
const isEven = ({ from, to }: Sides): boolean => isFlowBalanced(energies(from), energies(to));

/** Diagram of energy flows. The width of each band is proportional to its energy. Screen readers read the values as text. */
function FlowPicture({ title, from, to }: Sides & { title: string }) {
  const none = (text: string) =>
    html`<figure class="flow"><figcaption>${title}</figcaption><p class="quiet">${text}</p></figure>`;
  if ([...from, ...to].every((end) => !end.kwh)) return none(words().common.nothingKnown);
  if (!isEven({ from, to })) return none(words().home.flows.unequal);
  const { heightPx, left, right, bar } = layOutFlowBands(energies(from), energies(to));
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

/** Names and values at one side of the diagram, distributed evenly over its height. */
const Names = ({ ends }: { ends: End[] }) =>
  html`<div class="ends-of-flow">${ends.map((end) => html`<span><span class="name">${end.name}</span><b>${figure(end)}</b></span>`)}</div>`;

const figure = (end: End) => (end.kwh === null ? '–' : formatKwh(end.kwh));
const sentence = (ends: End[]) => ends.map((end) => `${end.name} ${figure(end)}`).join(', ');

/** A band of the diagram between a name and the bar in the middle. */
interface Ribbon {
  /** Shape of the band, as the attribute `d` of an SVG path. */
  path: string;
  /** Index of the band's source or consumer. */
  index: number;
}

/** Height of a name with its value, in pixels. */
export const LABEL_HEIGHT_PX = 56;
/** Width of the diagram in its own units. The browser scales it to the page. */
const WIDTH = 100;
/** Maximum share of the diagram's height that the bands fill. The rest are gaps between them. */
const FILLED = 0.8;
/** Left edge and width of the vertical bar in the middle, in the diagram's units. */
const BAR = { x: 49, width: 2 };
/** Length of the point in which a band ends, in the diagram's units. */
const TIP = 5;

/**
 * Returns the bands of the diagram: from the sources (left) to the bar in the middle, and from the bar to the consumers (right). No band
 * connects a source with a consumer, because meters do not measure which source supplied which consumer. `heightPx`: height of the diagram.
 */
export function layOutFlowBands(
  inKwh: readonly number[],
  outKwh: readonly number[],
): { heightPx: number; left: Ribbon[]; right: Ribbon[]; bar: { x: number; y: number; width: number; height: number } } {
  const heightPx = LABEL_HEIGHT_PX * Math.max(inKwh.length, outKwh.length, 1);
  const [inSum, outSum] = [sum(inKwh), sum(outKwh)];
  const most = Math.max(inSum, outSum);
  // Returns the maximum scale, in pixels per kWh, at which every band fits into the space next to its name.
  const room = (energies: readonly number[]) => heightPx / energies.length / Math.max(...energies, 0);
  // Without energy, all bands have no width.
  const pxPerKwh = most === 0 ? 0 : FILLED * Math.min(heightPx / most, room(inKwh), room(outKwh));
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

/**
 * Returns an SVG path for a band whose upper edge runs from (x1, y1) to (x2, y2). `px`: width of the band. `tip`: length of the point at
 * its end.
 */
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

/** Tolerance in kWh for the comparison of inflow and outflow. */
const ROUNDED_KWH = 0.01;
const NEARLY = 0.01;

/** Returns whether inflow equals outflow. They differ, for example, if a meter is missing. */
export function isFlowBalanced(inKwh: readonly number[], outKwh: readonly number[]): boolean {
  const [into, out] = [sum(inKwh), sum(outKwh)];
  return Math.abs(into - out) <= Math.max(ROUNDED_KWH, NEARLY * Math.max(into, out));
}

const sum = (energies: readonly number[]) => energies.reduce((all, kwh) => all + kwh, 0);
const round = (value: number) => Math.round(value * 100) / 100;
