import type { Period } from '#src/api/dashboard/shapes.ts';
import { html } from '../../html.ts';
import { formatKwh, formatPercent } from '../../parts/format.ts';
import { Card } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';

type Flow = NonNullable<Period['flows']>;

type Measure = { [Name in keyof Flow]: Flow[Name] extends number | null ? Name : never }[keyof Flow];

/** Key of the name of an energy flow in `words/`. */
type Name = 'production' | 'gridImport' | 'discharged' | 'gridExport' | 'charged' | 'consumption' | 'untracked';

/** Energy that flows into and out of the home, with the names and colours of its flows, in the order of the diagram. */
const FROM: readonly [Measure, Name, string][] = [
  ['production_kwh', 'production', '--sun'],
  ['grid_import_kwh', 'gridImport', '--mains'],
  ['discharged_kwh', 'discharged', '--battery'],
];
const TO: readonly [Measure, Name, string][] = [
  ['grid_export_kwh', 'gridExport', '--mains'],
  ['charged_kwh', 'charged', '--battery'],
];
/**
 * Used energy, with the names of its flows. Untracked usage is shown only if individual devices are measured; otherwise all usage would be
 * untracked.
 */
const USED: readonly [Measure, Name][] = [
  ['consumption_kwh', 'consumption'],
  ['untracked_kwh', 'untracked'],
];

/** Card with the energy flows of a home that has more than consumption meters. `title`: name of the displayed period. */
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
  // Leaves out flows for which the home has no device.
  const ends = (of: typeof FROM): End[] =>
    of
      .filter(([measure]) => flows[measure] !== null)
      .map(([measure, name, colour]) => ({ name: w[name], colour, kwh: flows[measure] }));
  const sides: Sides = { from: ends(FROM), to: [...listConsumers(flows, used, devices).map(endOfUse), ...ends(TO)] };
  // Without a grid meter, the measured inflow does not equal the usage.
  const hasGrid = flows.grid_import_kwh !== null;
  const doubts = doubtsOf(flows, !hasGrid || isEven(sides));
  return html`<${Card} title=${w.title}>
    <div class="flows">
      ${hasGrid && html`<${FlowPicture} title=${used === null ? title : `${title}: ${w.used} ${formatKwh(used)}`} ...${sides} />`}
      <table>
        <tbody>
          ${FROM.map(rowOf)}
          ${TO.map(rowOf)}
          ${row(w.used, used)}
          ${flows.consumption_kwh !== null && USED.map(rowOf)}
          ${row(w.autarky, findSelfConsumption(flows, used)?.share ?? null, formatPercent)}
        </tbody>
      </table>
    </div>
    ${doubts.length > 0 && html`<p class="quiet">${w.doubts({ doubts: doubts.join('; ') })}</p>`}
  <//>`;
}

/** Maximum number of devices that have a band of their own in the diagram. */
const MOST_DEVICES = 5;

/** Consumer in the diagram: a device, the devices that are too small for bands of their own, the remaining usage, or all usage. */
type Use = { kwh: number | null } & (
  | { kind: 'device'; name: string }
  | { kind: 'others'; count: number }
  | { kind: 'untracked' | 'all' }
);

/**
 * Returns the consumers of energy, largest first, including the usage that no device measures. Devices behind another device count as part
 * of that device. If the devices measured more than the home used, the only consumer is the whole usage. Pure.
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
  // If only one device remains, it is shown by its name instead of as a group.
  const shown = top.length === MOST_DEVICES + 1 ? top.length : MOST_DEVICES;
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
  return { name: w.used, colour: '--accent', kwh: use.kwh };
}

/**
 * Self-consumption: usage of a home from its own production or battery, and its share of the total usage. Energy stored in the battery
 * counts when it is used.
 */
interface OwnUse {
  kwh: number;
  share: number;
  /** Energy stored in the battery; null if the home has no battery or the energy is unknown. */
  storedKwh: number | null;
}

/**
 * Returns the self-consumption in a period. Null if the home has no production or a figure is unknown. `used`: total usage in kWh. Pure.
 */
export function findSelfConsumption(flows: Flow, used: number | null): OwnUse | null {
  const { production_kwh, grid_import_kwh, charged_kwh, autarky } = flows;
  if (production_kwh === null || grid_import_kwh === null || used === null || autarky === null) return null;
  return { kwh: Math.max(0, used - grid_import_kwh), share: autarky, storedKwh: charged_kwh };
}

/** Minimum coverage of data that count as complete. It is below 1, because the last minutes of a current period are never known. */
const MOSTLY = 0.9;

/** Returns the reasons why the flows of a period are incomplete. `addsUp`: whether inflow equals outflow. */
function doubtsOf({ coverage, grid_export_kwh, production_kwh, discharged_kwh }: Flow, addsUp: boolean): string[] {
  const w = words().home.flows;
  const isFedFromNowhere = (grid_export_kwh ?? 0) > 0 && production_kwh === null && discharged_kwh === null;
  return [
    ...((coverage ?? 1) < MOSTLY ? [w.silent] : []),
    ...(isFedFromNowhere ? [w.fromNowhere] : []),
    ...(addsUp || isFedFromNowhere ? [] : [w.otherTimes]),
  ];
}

/** A source or a consumer of energy in the diagram. */
interface End {
  name: string;
  /** Custom property of the style sheet with the colour of the band. */
  colour: string;
  /** Energy in kWh. Null if unknown. */
  kwh: number | null;
}

/** Sources (`from`) and consumers (`to`) in the diagram. If their sums differ, no diagram is drawn. */
interface Sides {
  from: End[];
  to: End[];
}
const energies = (ends: End[]) => ends.map((end) => end.kwh ?? 0);
const isEven = ({ from, to }: Sides): boolean => isFlowBalanced(energies(from), energies(to));

/** Flow diagram. Each band is as wide as the energy of its flow. Screen readers get the figures as text. */
function FlowPicture({ title, from, to }: Sides & { title: string }) {
  const none = (text: string) =>
    html`<figure class="flow"><figcaption>${title}</figcaption><p class="quiet">${text}</p></figure>`;
  if ([...from, ...to].every((end) => !end.kwh)) return none(words().common.nothingKnown);
  if (!isEven({ from, to })) return none(words().home.flows.unequal);
  const { heightPx, left, right, bar } = layOutBands(energies(from), energies(to));
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

/** Names and figures at one side of the diagram, spread evenly over its height like the bands. */
const Names = ({ ends }: { ends: End[] }) =>
  html`<div class="ends-of-flow">${ends.map((end) => html`<span><span class="name">${end.name}</span><b>${figure(end)}</b></span>`)}</div>`;

const figure = (end: End) => (end.kwh === null ? '–' : formatKwh(end.kwh));
const sentence = (ends: End[]) => ends.map((end) => `${end.name} ${figure(end)}`).join(', ');

/** A band between the name of a source or consumer and the bar in the middle. Its width is proportional to the energy. */
interface Ribbon {
  /** Path data of the band for SVG. */
  path: string;
  /** Index of the band's flow in the list of inflows or outflows. */
  index: number;
}

/** Height of a flow's name with its figure, in pixels. */
export const LABEL_HEIGHT_PX = 56;
/** Width of the diagram in its own units, which scale with the page. */
const WIDTH = 100;
/** Maximum share of the diagram's height that the bands fill, so that there are gaps between them. */
const FILLED = 0.8;
/** Left edge and width of the vertical bar in the middle, in the diagram's units. */
const BAR = { x: 49, width: 2 };
/** Length of the arrow tip of a band, in the diagram's units. */
const TIP = 5;

/**
 * Returns the bands of the diagram, from the inflows (left) through a bar in the middle to the outflows (right). No band leads from a
 * source to a consumer, because meters measure amounts, not paths. `heightPx`: height over which the names of each side are spread evenly.
 * Pure.
 */
export function layOutBands(
  inKwh: readonly number[],
  outKwh: readonly number[],
): { heightPx: number; left: Ribbon[]; right: Ribbon[]; bar: { x: number; y: number; width: number; height: number } } {
  const heightPx = LABEL_HEIGHT_PX * Math.max(inKwh.length, outKwh.length, 1);
  const [inSum, outSum] = [sum(inKwh), sum(outKwh)];
  const most = Math.max(inSum, outSum);
  // A band is at most as wide as the space for its name. A side with fewer names has more space for each name.
  const room = (energies: readonly number[]) => heightPx / energies.length / Math.max(...energies, 0);
  // If no energy flows, the scale is 0, so that the bands have no width.
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

/** Returns the SVG path of a band whose upper edge runs from (x1, y1) to (x2, y2). Its last `tip` units form a point. */
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

/**
 * Tolerance, in kWh, of comparing inflow and outflow: each figure is rounded to a Wh, and the last known minutes differ slightly between
 * devices.
 */
const ROUNDED_KWH = 0.01;
const NEARLY = 0.01;

/** Whether inflow equals outflow. Inflow and outflow differ if the meters cover different times or a meter is missing. Pure. */
export function isFlowBalanced(inKwh: readonly number[], outKwh: readonly number[]): boolean {
  const [into, out] = [sum(inKwh), sum(outKwh)];
  return Math.abs(into - out) <= Math.max(ROUNDED_KWH, NEARLY * Math.max(into, out));
}

const sum = (energies: readonly number[]) => energies.reduce((all, kwh) => all + kwh, 0);
const round = (value: number) => Math.round(value * 100) / 100;
