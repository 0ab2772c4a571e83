import { useState } from 'preact/hooks';
import uPlot from 'uplot';
import { html } from '../html.ts';
import { numberFormat } from '../words/locale.ts';
import { words } from '../words/words.ts';
import { ChartFigure, getPlotOptions, renderLegendEntry, usePlot } from './drawing.ts';
import { createMoneyFormatter, formatKwh } from './format.ts';
import {
  type Bar,
  type BarColours,
  getHeightAboveZero,
  getHeightBelowZero,
  paintBars,
  paintLine,
} from './paint-bars.ts';

export interface BarSegment {
  name: string;
  /** Name of the CSS custom property with the layer's colour, such as --sun. */
  colour: string;
}

/** Returns the height of the first chart on a page, in pixels. It is lower on a phone, so that the chart is visible without scrolling. */
export const getFirstChartHeightPx = (): number => (innerWidth > 704 ? 260 : 180);

/** A quantity that is drawn as a line over the bars. Its own axis is on the right. */
interface LineOverBars {
  name: string;
  unit: string;
  values: readonly (number | null)[];
  shown: Shown;
}

interface BarChartOptions {
  title: string;
  bars: Bar[];
  heightPx?: number;
  /** Value at which a horizontal line is drawn across the chart. */
  threshold?: number | undefined;
  /** Meaning of a highlighted bar, for the table and the legend. */
  mark?: string;
  /** Currency of the values, if they are amounts of money. */
  currency?: string | undefined;
  /** Unit of the values, if it is not kWh. In this case `shown` must be set, too: it formats a value. */
  unit?: string;
  shown?: Shown;
  /** Layers that each bar consists of. */
  parts?: readonly BarSegment[];
  /** Name of the earlier period, whose bars are drawn behind those of the displayed period. */
  ghost?: string | undefined;
  over?: LineOverBars;
  /** Called with the index of a bar when the user selects it. */
  onPick?: ((index: number) => void) | undefined;
}

/** Bar chart of energy or money. The upper part of a bar is paler if it is estimated. */
export function BarChart(options: BarChartOptions) {
  const {
    title,
    bars,
    heightPx = 180,
    threshold,
    mark,
    currency,
    unit = currency ?? 'kWh',
    parts = [],
    ghost,
    over,
    onPick,
  } = options;
  const { shown = currency === undefined ? formatKwh : createMoneyFormatter(currency) } = options;
  const [pointed, setPointed] = useState<number | null>(null);
  const box = usePlot(
    (element) =>
      bars.every((bar) => bar.value === null)
        ? null
        : draw(element, { bars, parts, over, threshold }, heightPx, setPointed),
    [JSON.stringify([bars, parts, over, threshold]), heightPx],
  );
  const one = pointed === null ? undefined : bars[pointed];
  const hasEstimated = bars.some(({ estimated }) => estimated > 0);
  const { chart } = words().common;
  const keys = [
    ...(mark === undefined ? [] : [renderLegendEntry('--mark', mark)]),
    ...parts.map((part) => renderLegendEntry(part.colour, part.name)),
    ...(ghost === undefined ? [] : [renderLegendEntry('--ghost', ghost)]),
    ...(over === undefined ? [] : [renderLegendEntry('--ink', `${over.name}, ${over.unit}`)]),
    ...(hasEstimated && mark === undefined ? [renderLegendEntry('--pale', chart.estimated)] : []),
  ];
  const readout = one
    ? [
        sentence(one, mark, shown, parts, ghost),
        ...(over && pointed !== null ? [`${over.name} ${overAt(over, pointed)}`] : []),
      ].join('; ')
    : html`<span class="key">${unit}</span>${keys}`;
  const columns = columnsOf(options, shown);
  if (bars.every((bar) => bar.value === null)) return html`<p class="quiet">${chart.noUsage}</p>`;
  const rows = bars.map((bar, index) => ({
    name: onPick
      ? html`<button type="button" class="link" onClick=${() => onPick(index)}>${bar.name}</button>`
      : bar.name,
    cells: columns.map(([, cell]) => cell(bar, index)),
  }));
  return html`<${ChartFigure} title=${title} readout=${readout} columns=${columns.map(([name]) => name)} rows=${rows}>
    <div ref=${box} class=${onPick ? 'picks' : ''} onClick=${() => pointed !== null && onPick?.(pointed)} role="img" aria-label=${`${title}: ${summary(bars, mark, shown)}`} />
  <//>`;
}

type Shown = (value: number) => string;
type Column = readonly [name: string, cell: (bar: Bar, index: number) => string];

/** Returns the columns of the table that contains the chart's values. */
function columnsOf({ bars, mark, currency, parts = [], ghost, over }: BarChartOptions, shown: Shown): Column[] {
  const { chart, yes } = words().common;
  const orNone = (value: number | null | undefined) => (value == null ? '–' : shown(value));
  const partOf = (bar: Bar, part: number) => (bar.value === null ? null : Math.abs(bar.parts?.[part] ?? 0));
  const ofCost: Column = [chart.cost, ({ cost }) => cost ?? '–'];
  const ofParts = parts.map(({ name }, part): Column => [name, (bar) => orNone(partOf(bar, part))]);
  const ofGhost = (name: string): Column => [name, (bar) => orNone(bar.ghost)];
  const ofMark = (name: string): Column => [name, ({ isMarked }) => (isMarked ? yes : '–')];
  const ofLine = (line: LineOverBars): Column => [line.name, (_, index) => overAt(line, index)];
  const ofEstimated: Column = [chart.estimatedOfIt, ({ estimated }) => orNone(estimated > 0 ? estimated : null)];
  return [
    [currency === undefined ? chart.used : chart.cost, (bar) => barValue(bar, shown)],
    ...(bars.some(({ cost }) => cost !== undefined) ? [ofCost] : []),
    ...ofParts,
    ...(ghost === undefined ? [] : [ofGhost(ghost)]),
    over ? ofLine(over) : mark === undefined ? ofEstimated : ofMark(mark),
  ];
}

const overAt = ({ values, shown }: LineOverBars, index: number): string => {
  const value = values[index];
  return value == null ? '–' : shown(value);
};
const barValue = (bar: Bar, shown: Shown) => (bar.value === null ? words().common.noData : shown(bar.value));

function sentence(
  bar: Bar,
  mark: string | undefined,
  shown: Shown,
  parts: readonly BarSegment[],
  ghost: string | undefined,
): string {
  const estimated = bar.estimated > 0 ? `, ${words().common.estimatedOfIt({ amount: shown(bar.estimated) })}` : '';
  const ofParts = parts.flatMap(({ name }, index) => {
    const value = bar.parts?.[index] ?? 0;
    return value === 0 ? [] : [`${name} ${shown(Math.abs(value))}`];
  });
  return [
    `${bar.name}: ${barValue(bar, shown)}${estimated}`,
    ...(bar.cost === undefined ? [] : [bar.cost]),
    ...(ofParts.length > 1 ? [ofParts.join(', ')] : []),
    ...(ghost !== undefined && bar.ghost != null ? [`${ghost} ${shown(bar.ghost)}`] : []),
    ...(mark && bar.isMarked ? [mark] : []),
  ].join('; ');
}

function summary(bars: Bar[], mark: string | undefined, shown: Shown): string {
  const known = bars.filter((bar) => bar.value !== null);
  const [first] = known;
  if (!first) return words().common.noData;
  const most = known.reduce((a, b) => ((b.value ?? 0) > (a.value ?? 0) ? b : a), first);
  const marked = mark ? `; ${bars.filter(({ isMarked }) => isMarked).length} ${mark}` : '';
  return `${words().common.chart.summary({ values: known.length, highest: barValue(most, shown), when: most.name })}${marked}`;
}

/** What a chart draws. */
interface Drawn {
  bars: Bar[];
  parts: readonly BarSegment[];
  over: LineOverBars | undefined;
  threshold: number | undefined;
}

function draw(
  element: HTMLElement,
  { bars, parts, over, threshold }: Drawn,
  height: number,
  point: (index: number | null) => void,
): uPlot {
  const { colour, axis, common } = getPlotOptions(element, height, point);
  const colours: BarColours = {
    parts: parts.map((part) => colour(part.colour)),
    accent: colour('--accent'),
    mark: colour('--mark'),
    ghost: colour('--ghost'),
    surface: colour('--surface'),
    zero: axis.stroke,
  };
  const highest = Math.max(
    ...bars.map((bar) => Math.max(getHeightAboveZero(bar), bar.ghost ?? 0)),
    threshold ?? 0,
    0.001,
  );
  // The axis begins below zero if a value is negative, for example if a home earned more than it paid.
  const lowest = Math.min(...bars.map((bar) => Math.min(getHeightBelowZero(bar), bar.ghost ?? 0)), 0);
  const options: uPlot.Options = {
    ...common,
    scales: { x: { time: false, range: [-0.5, bars.length - 0.5] }, y: { range: [lowest * 1.08, highest * 1.08] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 30,
        space: 54,
        incrs: [1, 2, 3, 4, 6, 7, 12, 24, 48, 168],
        values: (_plot, splits) => splits.map((place) => bars[place]?.label ?? ''),
      },
      {
        ...axis,
        size: 48,
        values: (_plot, splits) => splits.map((value) => numberFormat({ maximumFractionDigits: 3 }).format(value)),
      },
    ],
    series: [{}, { paths: () => null, points: { show: false } }],
    hooks: {
      ...common.hooks,
      // Bars are painted before the plot draws its series, so that the line stays visible.
      drawAxes: [(plot) => paintBars(plot, bars, colours)],
      draw: threshold === undefined ? [] : [(plot) => paintLine(plot, threshold, axis.stroke)],
    },
  };
  const data = [bars.map((_, index) => index), bars.map(({ value }) => value)];
  if (over) {
    options.series.push({ scale: 'over', stroke: colour('--ink'), width: 2, points: { show: false } });
    options.scales = {
      ...options.scales,
      over: { range: [0, Math.max(...over.values.map((value) => value ?? 0), 0.001) * 1.1] },
    };
    options.axes?.push({ ...axis, scale: 'over', side: 1, size: 40, grid: { show: false } });
    data.push([...over.values] as number[]);
  }
  return new uPlot(options, data as uPlot.AlignedData, element);
}
