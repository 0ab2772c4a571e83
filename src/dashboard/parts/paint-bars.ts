import type uPlot from 'uplot';

/** A bar of a chart: the energy of a bucket with its estimated part, or the cost of a bucket. */
export interface Bar {
  /** Short label on the axis. */
  label: string;
  /** Name of the bucket in the tooltip and in the table. */
  name: string;
  /** Height of the bar. Null if unknown. */
  value: number | null;
  estimated: number;
  /** Formatted cost of the energy. */
  cost?: string;
  /** Whether the bar is highlighted, because an alert would have fired in the bar's period. */
  isMarked?: boolean;
  /** Values of the bar's layers, in the order of the chart's layers. Positive values are stacked above zero, negative values below. */
  parts?: readonly number[];
  /** Value of the bar that is drawn behind, of the compared period; null if unknown. */
  ghost?: number | null;
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
export const getHeightAboveZero = ({ value, parts }: Bar): number =>
  parts ? sumOf(parts.filter((part) => part > 0)) : Math.max(value ?? 0, 0);
export const getHeightBelowZero = ({ value, parts }: Bar): number =>
  parts ? sumOf(parts.filter((part) => part < 0)) : Math.min(value ?? 0, 0);

/** Colours of a bar chart, in the form that a canvas needs. */
export interface BarColours {
  parts: string[];
  accent: string;
  mark: string;
  ghost: string;
  surface: string;
  zero: string;
}

/**
 * Width of a bar as a share of its bucket's space: of a single bar, of a bar in front of a compared bar, and of the compared bar itself.
 */
const WIDTHS = { alone: 0.78, inFront: 0.56, ghost: 0.88 };
const MOST_BAR_PX = 48;

/**
 * Paints each bar: first the compared bar behind it, then the bar's layers from zero upwards, and on top the estimated part in a pale
 * colour.
 */
export function paintBars(plot: uPlot, bars: readonly Bar[], colours: BarColours): void {
  const { ctx, bbox } = plot;
  const slotPx = bbox.width / bars.length;
  const mostPx = MOST_BAR_PX * (devicePixelRatio || 1);
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
/** Share of the background colour in the pale colour of an estimated part. The style sheet uses the same share for --pale. */
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
