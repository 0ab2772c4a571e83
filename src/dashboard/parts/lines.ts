import { useState } from 'preact/hooks';
import uPlot from 'uplot';
import { html } from '../html.ts';
import { dateFormat, locale, numberFormat } from '../words/locale.ts';
import { language, words } from '../words/words.ts';
import { ChartFigure, getPlotOptions, renderLegendEntry, usePlot } from './drawing.ts';

/** Values of a quantity over time; null if unknown. */
interface ChartLineData {
  name: string;
  unit: string;
  /** Name of the CSS custom property with the line's colour, such as --accent. */
  colour: string;
  isDashed?: boolean;
  values: (number | null)[];
}

/** A quantity that is drawn as bars at the bottom of a line chart. `most`: upper end of its own axis on the right. */
type FootBars = Omit<ChartLineData, 'isDashed'> & { most: number };

interface LinesOptions {
  title: string;
  /** Start times of the chart's hours or other steps, Unix ms, in ascending order. */
  atMs: number[];
  stepMs: number;
  /** Time zone of the displayed times (IANA name). */
  zone: string;
  lines: ChartLineData[];
  bars: FootBars;
}

const HEIGHT_PX = 240;
/** Returns a name as it is written within a sentence: in lower case, except in German. */
const amid = (name: string) => (language() === 'de' ? name : name.toLocaleLowerCase(locale()));
const tenths = (value: number) => numberFormat({ maximumFractionDigits: 1 }).format(value);

export function LineChart(props: LinesOptions) {
  const { title, atMs, zone, lines, bars } = props;
  const [pointed, setPointed] = useState<number | null>(null);
  const box = usePlot((element) => draw(element, props, setPointed), [JSON.stringify(props)]);
  const all = [...lines, bars];
  const name = stepNames(zone);
  const figure = ({ values, unit }: Pick<ChartLineData, 'values' | 'unit'>, index: number) => {
    const value = values[index];
    return value == null ? '–' : `${tenths(value)} ${unit}`;
  };
  const readout =
    pointed === null || atMs[pointed] === undefined
      ? all.map((one) => renderLegendEntry(one.colour, `${one.name}, ${one.unit}`))
      : `${name(atMs[pointed])}: ${all.map((one) => `${amid(one.name)} ${figure(one, pointed)}`).join(', ')}`;
  const rows = atMs.map((ms, index) => ({ name: name(ms), cells: all.map((one) => figure(one, index)) }));
  return html`<${ChartFigure} title=${title} readout=${readout} columns=${all.map((one) => one.name)} rows=${rows} isTall>
    <div ref=${box} role="img" aria-label=${`${title}: ${summary(lines, atMs, name)}`} />
  <//>`;
}

/** Returns a function that formats the start time of a step, such as "Sat 21 Nov, 14:00". */
function stepNames(zone: string): (ms: number) => string {
  const options = { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const;
  const format = dateFormat({ ...options, timeZone: zone });
  return (ms) => format.format(ms);
}

/** Describes the lowest and highest value of each line in a sentence. */
function summary(lines: ChartLineData[], atMs: number[], name: (ms: number) => string): string {
  const spans = lines.flatMap(({ name: of, unit, values }) => {
    const known = values.filter((value) => value !== null);
    return known.length === 0
      ? []
      : [words().common.chart.span({ of, least: tenths(Math.min(...known)), most: tenths(Math.max(...known)), unit })];
  });
  const [first] = atMs;
  return spans.length === 0 || first === undefined
    ? words().common.noData
    : words().common.chart.from({ when: name(first), told: spans.join('; ') });
}

function draw(
  element: HTMLElement,
  { atMs, stepMs, zone, lines, bars }: LinesOptions,
  point: (index: number | null) => void,
): uPlot {
  const { colour, axis, common } = getPlotOptions(element, HEIGHT_PX, point);
  const foot = colour(bars.colour);
  const options: uPlot.Options = {
    ...common,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), zone),
    // The axis extends half a step beyond the first and the last value, which are drawn in the middle of their steps.
    scales: {
      x: { range: (_plot, from, to) => [from - stepMs / 2_000, to + stepMs / 2_000] },
      y: { range: aroundAll },
      foot: { range: [0, bars.most * 2.5] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 60,
        size: 32,
        incrs: [3, 6, 12, 24, 48].map((hours) => hours * 3_600),
        values: labelsOf(zone),
      },
      { ...axis, size: 44, values: (_plot, splits) => splits.map((value) => `${tenths(value)}°`) },
      {
        ...axis,
        scale: 'foot',
        side: 1,
        size: 44,
        grid: { show: false },
        splits: () => [0, bars.most / 2, bars.most],
        values: (_plot, splits) => splits.map((value) => `${value}'`),
      },
    ],
    series: [
      {},
      {
        scale: 'foot',
        paths: uPlot.paths.bars?.({ size: [0.8, 40] }) as uPlot.Series.PathBuilder,
        width: 0,
        stroke: foot,
        fill: foot,
        points: { show: false },
      },
      ...lines.map(
        (line): uPlot.Series => ({
          scale: 'y',
          stroke: colour(line.colour),
          width: 2,
          points: { show: false },
          ...(line.isDashed ? { dash: [6, 5] } : {}),
        }),
      ),
    ],
  };
  const middles = atMs.map((ms) => (ms + stepMs / 2) / 1_000);
  return new uPlot(options, [middles, bars.values, ...lines.map(({ values }) => values)], element);
}

/** Returns the range of an axis in whole units, with space for the bars at the bottom. */
function aroundAll(_plot: uPlot, least: number | null, most: number | null): [number, number] {
  if (least === null || most === null) return [0, 1];
  const low = Math.floor(least - 0.5);
  const high = Math.ceil(most + 0.5);
  return [low - Math.ceil((high - low) * 0.35), high];
}

/** Returns a function that labels a time axis: with a date at midnight, otherwise with the hour. */
function labelsOf(zone: string): (plot: uPlot, splits: number[]) => string[] {
  const hour = dateFormat({
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const day = dateFormat({ timeZone: zone, day: 'numeric', month: 'short' });
  return (_plot, splits) =>
    splits.map((seconds) => {
      const time = hour.format(seconds * 1_000);
      return time === '00:00' ? day.format(seconds * 1_000) : time;
    });
}
