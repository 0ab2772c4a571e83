import type uPlot from 'uplot';

/** A bar of a chart. It shows the energy or the cost of an hour, day or month. A part of the energy may be estimated. */
export interface Bar {
  /** Short name of the hour, day or month on the axis. */
  label: string;
  /** Name of the hour, day or month above the chart and in the table. */
  name: string;
  /** Height of the bar; null if the value is unknown. */
  value: number | null;
  estimated: number;
  /** Cost of the energy, formatted with its currency. */
  cost?: string;
  /** Whether the bar is highlighted. In the preview of an alert, this means that the alert would have fired. */
  isMarked?: boolean;
  /** Values of the bar's layers, in the order of the chart's layers. Positive values are stacked above zero, and negative values below. */
  parts?: readonly number[];
  /** Height of the earlier period's bar, which is drawn behind this bar; null if unknown. */
  ghost?: number | null;
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
export const getHeightAboveZero = ({ value, parts }: Bar): number =>
  parts ? sumOf(parts.filter((part) => part > 0)) : Math.max(value ?? 0, 0);
export const getHeightBelowZero = ({ value, parts }: Bar): number =>
  parts ? sumOf(parts.filter((part) => part < 0)) : Math.min(value ?? 0, 0);

/** Colours of a bar chart, as values for a canvas. */
export interface BarColours {
  parts: string[];
  accent: string;
  mark: string;
  ghost: string;
  surface: string;
  zero: string;
}

/**
 * Width of a bar as a share of its space on the axis. `alone`: a chart without an earlier period. `inFront`: a bar in front of an earlier
 * period's bar. `ghost`: the earlier period's bar.
 */
const WIDTHS = { alone: 0.78, inFront: 0.56, ghost: 0.88 };
const MAX_BAR_PX = 48;

/** Paints each bar: first the earlier period's bar, then its layers from zero upwards, and last its estimated part. */
export function paintBars(plot: uPlot, bars: readonly Bar[], colours: BarColours): void {
  const { ctx, bbox } = plot;
  const slotPx = bbox.width / bars.length;
  const mostPx = MAX_BAR_PX * (devicePixelRatio || 1);
  const y = (value: number) => plot.valToPos(value, 'y', true);
  const hasGhosts = bars.some(({ ghost }) => ghost != null);
  const column = (index: number, share: number) => {
    const width = Math.min(slotPx * share, (mostPx * share) / WIDTHS.alone);
    return { left: bbox.left + (index + 0.5) * slotPx - width / 2, width };
  };
  const fill = ({ left, width }: ReturnType<typeof column>, from: number, to: number, style: string) => {
    ctx.fillStyle = style;
    ctx.fillRect(left, Math.min(y(from), y(to)), width, Math.abs(y(to) - y(from)));
  };
  const rounded = ({ left, width }: ReturnType<typeof column>, from: number, to: number) => {
    ctx.beginPath();
    ctx.roundRect(left, Math.min(y(from), y(to)), width, Math.abs(y(to) - y(from)), width * 0.15);
    ctx.clip();
  };
  for (const [index, bar] of bars.entries()) {
    if (bar.ghost) {
      ctx.save();
      const place = column(index, WIDTHS.ghost);
      rounded(place, 0, bar.ghost);
      fill(place, 0, bar.ghost, colours.ghost);
      ctx.restore();
    }
    if (bar.value === null) continue;
    const place = column(index, hasGhosts ? WIDTHS.inFront : WIDTHS.alone);
    ctx.save();
    rounded(place, getHeightBelowZero(bar), getHeightAboveZero(bar));
    let [up, down] = [0, 0];
    for (const [at, part] of (bar.parts ?? [bar.value]).entries()) {
      const style = bar.parts ? colours.parts[at] : bar.isMarked ? colours.mark : colours.accent;
      const from = part < 0 ? down : up;
      fill(place, from, from + part, style ?? colours.accent);
      if (part < 0) down += part;
      else up += part;
    }
    if (bar.estimated > 0 && !bar.isMarked) {
      ctx.globalAlpha = PALE;
      fill(place, Math.max(0, up - bar.estimated), up, colours.surface);
    }
    ctx.restore();
  }
  if (bars.some((bar) => getHeightBelowZero(bar) < 0)) {
    ctx.fillStyle = colours.zero;
    ctx.fillRect(bbox.left, Math.round(y(0)), bbox.width, devicePixelRatio || 1);
  }
}
/** Share of the background in the pale colour of estimated parts, as for --pale in the style sheet. */
const PALE = 0.62;

/** Draws a dashed horizontal line at a value of the axis. */
export function paintLine(plot: uPlot, value: number, stroke: string): void {
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
