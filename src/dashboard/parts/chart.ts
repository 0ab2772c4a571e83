import { useState } from 'preact/hooks';
import uPlot from 'uplot';
import { html } from '../html.ts';
import { numberFormat } from '../words/locale.ts';
import { words } from '../words/words.ts';
import { colourOf, useDrawing } from './drawing.ts';
import { createMoneyFormatter, kwh } from './format.ts';
import { type Bar, type BarColours, heightAboveZero, heightBelowZero, paintBars, paintLine } from './paint-bars.ts';

/** A layer of stacked bars. */
export interface BarPart {
  name: string;
  /** Colour, as a custom property of the style sheet such as --sun. */
  colour: string;
}

/** Returns the height of the first chart of a page, in pixels. On a phone the chart is visible without scrolling. */
export const firstChartHeightPx = (): number => (innerWidth > 704 ? 260 : 180);

/** A quantity that is drawn as a line over the bars, with its own axis on the right. */
export interface LineOverBars {
  name: string;
  unit: string;
  values: readonly (number | null)[];
  shown: Shown;
}

/**
 * Bar chart of energy. The estimated part of a bar is the pale part on top. A table below contains the same figures,
 * for users who cannot see the chart or use a pointer. `threshold`: value of a horizontal line. `mark`: meaning of
 * highlighted bars, which replaces the estimated part. `currency`: set if the values are amounts. `unit` and `shown`:
 * set if the values are in a unit other than kWh. `parts`: names of the bars' parts. `ghost`: name of the compared
 * period, which is drawn behind. `over`: a line over the bars. `onPick`: called when a bar is selected.
 */
export function BarChart({
  title,
  bars,
  heightPx = 180,
  threshold,
  mark,
  currency,
  unit = currency ?? 'kWh',
  shown = currency === undefined ? kwh : createMoneyFormatter(currency),
  parts = [],
  ghost,
  over,
  onPick,
}: {
  title: string;
  bars: Bar[];
  heightPx?: number;
  threshold?: number | undefined;
  mark?: string;
  currency?: string | undefined;
  unit?: string;
  shown?: Shown;
  parts?: readonly BarPart[];
  ghost?: string | undefined;
  over?: LineOverBars;
  onPick?: ((index: number) => void) | undefined;
}) {
  const [pointed, setPointed] = useState<number | null>(null);
  const box = useDrawing(
    (element) =>
      bars.every((bar) => bar.value === null)
        ? null
        : draw(element, { bars, parts, over, threshold }, heightPx, setPointed),
    [JSON.stringify([bars, parts, over, threshold]), heightPx],
  );
  const one = pointed === null ? undefined : bars[pointed];
  const hasEstimated = bars.some(({ estimated }) => estimated > 0);
  const { chart, yes } = words().common;
  const hasCost = bars.some(({ cost }) => cost !== undefined);
  const key = (colour: string, name: string | undefined) =>
    html`<span class="key"><i class="swatch" style=${{ background: `var(${colour})` }} /> ${name}</span>`;
  const keys = [
    ...(mark === undefined ? [] : [key('--mark', mark)]),
    ...parts.map((part) => key(part.colour, part.name)),
    ...(ghost === undefined ? [] : [key('--ghost', ghost)]),
    ...(over === undefined ? [] : [key('--ink', `${over.name}, ${over.unit}`)]),
    ...(hasEstimated && mark === undefined ? [key('--pale', chart.estimated)] : []),
  ];
  const third = (bar: Bar) => (bar.estimated > 0 ? shown(bar.estimated) : '–');
  const columns = [
    currency === undefined ? chart.used : chart.cost,
    ...(hasCost ? [chart.cost] : []),
    ...parts.map(({ name }) => name),
    ...(ghost === undefined ? [] : [ghost]),
    over?.name ?? mark ?? chart.estimatedOfIt,
  ];
  const cells = (bar: Bar, index: number) => [
    barValue(bar, shown),
    ...(hasCost ? [bar.cost ?? '–'] : []),
    ...parts.map((_, part) => (bar.value === null ? '–' : shown(Math.abs(bar.parts?.[part] ?? 0)))),
    ...(ghost === undefined ? [] : [bar.ghost == null ? '–' : shown(bar.ghost)]),
    over ? overAt(over, index) : mark ? (bar.isMarked ? yes : '–') : third(bar),
  ];
  if (bars.every((bar) => bar.value === null)) return html`<p class="quiet">${words().common.chart.noUsage}</p>`;
  return html`<figure class="chart">
    <div class="readout" aria-hidden="true">${one ? [sentence(one, mark, shown, parts, ghost), ...(over && pointed !== null ? [`${over.name} ${overAt(over, pointed)}`] : [])].join('; ') : html`<span class="key">${unit}</span>${keys}`}</div>
    <div ref=${box} class=${onPick ? 'picks' : ''} onClick=${() => pointed !== null && onPick?.(pointed)} role="img" aria-label=${`${title}: ${summary(bars, mark, shown)}`} />
    <details>
      <summary>${chart.asTable({ title })}</summary>
      <div class="wide-table" tabindex="0" role="group" aria-label=${chart.asTable({ title })}>
      <table>
        <thead><tr><th scope="col">${chart.time}</th>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
        <tbody>
          ${bars.map(
            (bar, index) =>
              html`<tr><th scope="row">${onPick ? html`<button type="button" class="link" onClick=${() => onPick(index)}>${bar.name}</button>` : bar.name}</th>${cells(bar, index).map((cell) => html`<td>${cell}</td>`)}</tr>`,
          )}
        </tbody>
      </table>
      </div>
    </details>
  </figure>`;
}

type Shown = (value: number) => string;

const overAt = ({ values, shown }: LineOverBars, index: number): string => {
  const value = values[index];
  return value == null ? '–' : shown(value);
};
const barValue = (bar: Bar, shown: Shown) => (bar.value === null ? words().common.noData : shown(bar.value));

function sentence(
  bar: Bar,
  mark: string | undefined,
  shown: Shown,
  parts: readonly BarPart[],
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
  parts: readonly BarPart[];
  over: LineOverBars | undefined;
  threshold: number | undefined;
}

function draw(
  element: HTMLElement,
  { bars, parts, over, threshold }: Drawn,
  height: number,
  point: (index: number | null) => void,
): uPlot {
  const colour = (name: string) => colourOf(element, name);
  const quiet = colour('--quiet');
  const grid = { stroke: colour('--line'), width: 1 };
  const axis = { stroke: quiet, font: '12px system-ui, sans-serif', grid, ticks: { show: false } };
  const colours: BarColours = {
    parts: parts.map((part) => colour(part.colour)),
    accent: colour('--accent'),
    mark: colour('--mark'),
    ghost: colour('--ghost'),
    surface: colour('--surface'),
    zero: quiet,
  };
  const highest = Math.max(...bars.map((bar) => Math.max(heightAboveZero(bar), bar.ghost ?? 0)), threshold ?? 0, 0.001);
  // The axis may extend below zero: a home may earn more in a day than it pays, and it may export energy.
  const lowest = Math.min(...bars.map((bar) => Math.min(heightBelowZero(bar), bar.ghost ?? 0)), 0);
  const options: uPlot.Options = {
    width: element.clientWidth || 300,
    height,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
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
      setCursor: [(plot) => point(plot.cursor.idx ?? null)],
      // Bars are painted in the drawAxes hook, so that a line over them, which is a series of the plot, is drawn
      // afterwards.
      drawAxes: [(plot) => paintBars(plot, bars, colours)],
      draw: threshold === undefined ? [] : [(plot) => paintLine(plot, threshold, quiet)],
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
