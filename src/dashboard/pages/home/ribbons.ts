/** A band between a name at the side of a picture and the bar in its middle, as wide as the energy that flows. */
export interface Ribbon {
  /** Of an SVG path. */
  path: string;
  /** Of the list that it was made of. */
  index: number;
}

/** Height of a name with its figure, in pixels. */
export const NAME_PX = 64;
/** The picture is so wide, in units that stretch with the page. */
export const WIDTH = 100;
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
