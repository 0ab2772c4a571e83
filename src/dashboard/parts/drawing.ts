import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { type Children, html } from '../html.ts';
import { words } from '../words/words.ts';

/**
 * Returns the options and the axis style that all plots share, and a function that returns a colour. When the pointer moves, `point` is
 * called with the index of the value under it, or with null if there is none.
 */
export function getPlotOptions(element: HTMLElement, height: number, point: (index: number | null) => void) {
  /** Returns the value of a CSS custom property in the current theme, because a canvas cannot use the property itself. */
  const colour = (name: string) => {
    element.style.color = `var(${name})`;
    const { color } = getComputedStyle(element);
    element.style.color = '';
    return color;
  };
  const axis = {
    stroke: colour('--quiet'),
    font: '12px system-ui, sans-serif',
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  };
  const common = {
    width: element.clientWidth || 300,
    height,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    hooks: { setCursor: [(plot: uPlot) => point(plot.cursor.idx ?? null)] },
  };
  return { colour, axis, common };
}

/**
 * Creates an element with a plot of the same width. The plot is drawn again whenever `keys` or the colours change. If `draw` returns null,
 * the element stays empty.
 */
export function usePlot(draw: (element: HTMLElement) => uPlot | null, keys: readonly unknown[]) {
  const box = useRef<HTMLDivElement>(null);
  // Position of the pointer, which must survive when the plot is drawn again.
  const pointed = useRef({ left: -1, top: -1 });
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let plot: uPlot | null = null;
    const end = () => {
      const { left = -1, top = -1 } = plot?.cursor ?? {};
      pointed.current = { left, top };
      plot?.destroy();
    };
    const again = () => {
      end();
      plot = draw(element);
      if (pointed.current.left >= 0) plot?.setCursor(pointed.current);
    };
    plot = draw(element);
    if (pointed.current.left >= 0) plot?.setCursor(pointed.current);
    const size = new ResizeObserver(() => {
      if (plot && Math.abs(plot.width - element.clientWidth) > 1)
        plot.setSize({ width: element.clientWidth, height: plot.height });
    });
    size.observe(element);
    // A plot reads its colours when it is drawn, so a change of the theme draws it again.
    const theme = new MutationObserver(again);
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', again);
    return () => {
      size.disconnect();
      theme.disconnect();
      system.removeEventListener('change', again);
      end();
    };
  }, keys);
  return box;
}

/** Renders an entry of a chart's legend. `colour`: name of the CSS custom property. */
export const renderLegendEntry = (colour: string, name: string) =>
  html`<span class="key"><i class="swatch" style=${{ background: `var(${colour})` }} /> ${name}</span>`;

/**
 * A chart, and below it a table with the same values. `readout`: the legend, or the values under the pointer. `columns`: columns of the
 * table after the time. `isTall`: whether the table scrolls in both directions.
 */
export function ChartFigure(props: {
  title: string;
  readout: Children;
  columns: readonly string[];
  rows: readonly { name: Children; cells: readonly string[] }[];
  isTall?: boolean;
  children?: Children;
}) {
  const { title, readout, columns, rows, isTall = false, children } = props;
  const { chart } = words().common;
  return html`<figure class="chart">
    <div class="readout" aria-hidden="true">${readout}</div>
    ${children}
    <details>
      <summary>${chart.asTable({ title })}</summary>
      <div class=${isTall ? 'scroll' : 'wide-table'} tabindex="0" role="group" aria-label=${chart.asTable({ title })}>
        <table>
          <thead><tr><th scope="col">${chart.time}</th>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
          <tbody>
            ${rows.map(({ name, cells }) => html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}
          </tbody>
        </table>
      </div>
    </details>
  </figure>`;
}
