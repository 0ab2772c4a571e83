import { useState } from 'preact/hooks';
import uPlot from 'uplot';
import { html } from '../html.ts';
import { numberFormat } from '../words/locale.ts';
import { words } from '../words/words.ts';
import { colourOf, useDrawing } from './drawing.ts';
import { kwh, moneyIn } from './format.ts';

/** One bar: the energy of a bucket with its estimated part, or its cost. */
export interface Bar {
  /** Short label on the axis. */
  label: string;
  /** Name in the tooltip and in the table. */
  name: string;
  /** Null if unknown. */
  value: number | null;
  estimated: number;
  /** Cost of the energy, as text. */
  cost?: string;
  /** Whether the bar is highlighted: a period in which an alert would have fired. */
  isMarked?: boolean;
}

/** Height of the chart of a page's first screen: on a phone all of it is above the fold. */
export const firstChartPx = (): number => (innerWidth > 704 ? 260 : 180);

/**
 * Bar chart of energy. The estimated part is the pale part on top. A table below contains the same figures, for users who cannot see the
 * chart or use a pointer. `threshold`: a horizontal line. `mark`: meaning of a highlighted bar, shown instead of the estimated part.
 * `currency`: the values are amounts in it; `unit` and `shown`: the values are in another unit than kWh. `onPick`: called when a bar is
 * selected.
 */
export function Bars({
  title,
  bars,
  heightPx = 180,
  threshold,
  mark,
  currency,
  unit = currency ?? 'kWh',
  shown = currency === undefined ? kwh : moneyIn(currency),
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
  onPick?: (index: number) => void;
}) {
  const [pointed, setPointed] = useState<number | null>(null);
  const box = useDrawing(
    (element) =>
      bars.every((bar) => bar.value === null) ? null : draw(element, bars, heightPx, threshold, setPointed),
    [JSON.stringify([bars, threshold]), heightPx],
  );
  const one = pointed === null ? undefined : bars[pointed];
  const hasEstimated = bars.some(({ estimated }) => estimated > 0);
  const { chart, yes } = words().common;
  const hasCost = bars.some(({ cost }) => cost !== undefined);
  const idle = hasEstimated ? html`${unit}, <i class="swatch" /> ${chart.estimated}` : unit;
  const marks = html`${unit}, <i class="swatch" style=${{ background: 'var(--mark)' }} /> ${mark}`;
  const third = (bar: Bar) => (bar.estimated > 0 ? kwh(bar.estimated) : '–');
  if (bars.every((bar) => bar.value === null)) return html`<p class="quiet">${words().common.chart.noUsage}</p>`;
  return html`<figure class="chart">
    <div class="readout" aria-hidden="true">${one ? sentence(one, mark, shown) : mark ? marks : idle}</div>
    <div ref=${box} class=${onPick ? 'picks' : ''} onClick=${() => pointed !== null && onPick?.(pointed)} role="img" aria-label=${`${title}: ${summary(bars, mark, shown)}`} />
    <details>
      <summary>${chart.asTable({ title })}</summary>
      <table>
        <thead><tr><th scope="col">${chart.time}</th><th scope="col">${currency === undefined ? chart.used : chart.cost}</th>${hasCost && html`<th scope="col">${chart.cost}</th>`}<th scope="col">${mark ?? chart.estimatedOfIt}</th></tr></thead>
        <tbody>
          ${bars.map(
            (bar, index) =>
              html`<tr><th scope="row">${onPick ? html`<button type="button" class="link" onClick=${() => onPick(index)}>${bar.name}</button>` : bar.name}</th><td>${told(bar, shown)}</td>${hasCost && html`<td>${bar.cost ?? '–'}</td>`}<td>${mark ? (bar.isMarked ? yes : '–') : third(bar)}</td></tr>`,
          )}
        </tbody>
      </table>
    </details>
  </figure>`;
}

type Shown = (value: number) => string;

const told = (bar: Bar, shown: Shown) => (bar.value === null ? words().common.noData : shown(bar.value));

function sentence(bar: Bar, mark: string | undefined, shown: Shown): string {
  const estimated = bar.estimated > 0 ? `, ${words().common.estimatedOfIt({ amount: kwh(bar.estimated) })}` : '';
  return `${bar.name}: ${told(bar, shown)}${estimated}${bar.cost === undefined ? '' : `; ${bar.cost}`}${mark && bar.isMarked ? `, ${mark}` : ''}`;
}

function summary(bars: Bar[], mark: string | undefined, shown: Shown): string {
  const known = bars.filter((bar) => bar.value !== null);
  const [first] = known;
  if (!first) return words().common.noData;
  const most = known.reduce((a, b) => ((b.value ?? 0) > (a.value ?? 0) ? b : a), first);
  const marked = mark ? `; ${bars.filter(({ isMarked }) => isMarked).length} ${mark}` : '';
  return `${words().common.chart.summary({ values: known.length, highest: told(most, shown), when: most.name })}${marked}`;
}

function draw(
  element: HTMLElement,
  bars: Bar[],
  height: number,
  threshold: number | undefined,
  point: (index: number | null) => void,
): uPlot {
  const colour = (name: string) => colourOf(element, name);
  const accent = colour('--accent');
  const marked = colour('--mark');
  const quiet = colour('--quiet');
  const grid = { stroke: colour('--line'), width: 1 };
  const axis = { stroke: quiet, font: '12px system-ui, sans-serif', grid, ticks: { show: false } };
  const places = bars.map((_, index) => index);
  const shape = uPlot.paths.bars?.({ size: [0.78, 48], radius: 0.15 }) as uPlot.Series.PathBuilder;
  const series = (stroke: string, fill: string): uPlot.Series => ({
    paths: shape,
    width: 0,
    stroke,
    fill,
    points: { show: false },
  });
  const pale = colour('--pale');
  const highest = Math.max(...bars.map(({ value }) => value ?? 0), threshold ?? 0, 0.001);
  // A home may earn more in a day than it pays.
  const lowest = Math.min(...bars.map(({ value }) => value ?? 0), 0);
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
    series: [{}, series(pale, pale), series(accent, accent), series(marked, marked)],
    hooks: {
      setCursor: [(plot) => point(plot.cursor.idx ?? null)],
      draw: threshold === undefined ? [] : [(plot) => line(plot, threshold, quiet)],
    },
  };
  const measured = bars.map(({ value, estimated, isMarked }) =>
    isMarked || value === null ? null : value - estimated,
  );
  const total = bars.map(({ value, estimated }) => (estimated > 0 ? value : null));
  const alarms = bars.map(({ value, isMarked }) => (isMarked ? value : null));
  return new uPlot(options, [places, total, measured, alarms], element);
}

/** Draws a dashed horizontal line at a value. */
function line(plot: uPlot, value: number, stroke: string): void {
  const { ctx, bbox } = plot;
  const y = Math.round(plot.valToPos(value, 'y', true));
  ctx.save();
  ctx.strokeStyle = stroke;
  ctx.lineWidth = 2;
  ctx.setLineDash([8, 5]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}
