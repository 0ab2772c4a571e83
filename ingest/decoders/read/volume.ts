import type { Commodity } from '#src/database/meter.ts';

/**
 * Scale from a unit to m³: `value * times / per`. `times` is an integer and `per` a power of ten, so that the result is exact in decimals.
 */
export interface VolumeScale {
  times: number;
  per: number;
}

const CUBIC_METRE: VolumeScale = { times: 1, per: 1 };
const LITRE: VolumeScale = { times: 1, per: 1_000 };
/**
 * Returns the scale that converts cubic feet to m³. One ft³ is 0.3048³ m³ by definition. `hundreds`: exponent of ten in the unit, such as 2
 * for 100 ft³.
 */
const cubicFeet = (hundreds: 0 | 2 | 3): VolumeScale => ({ times: 28_316_846_592, per: 10 ** (12 - hundreds) });
/**
 * Scale of the American gallon: 231 cubic inches. An imperial gallon is a fifth larger, so `gal` is a unit only if it is known which gallon
 * the meter uses.
 */
export const US_GALLON_SCALE: VolumeScale = { times: 3_785_411_784, per: 10 ** 12 };

/** Volume units by their spellings, in lower case without blanks, underscores and dashes. CCF is 100 ft³, MCF is 1,000 ft³. */
const UNITS = new Map<string, VolumeScale>([
  ...['m3', 'm³', 'm^3', 'cbm', 'cubicmeter', 'cubicmeters', 'cubicmetre', 'cubicmetres'].map(
    (text) => [text, CUBIC_METRE] as const,
  ),
  ...['l', 'liter', 'liters', 'litre', 'litres', 'litro', 'litros', 'dm3', 'dm³'].map((text) => [text, LITRE] as const),
  ...['ft3', 'ft³', 'ft^3', 'cf', 'cuft', 'cubicfoot', 'cubicfeet'].map((text) => [text, cubicFeet(0)] as const),
  ['ccf', cubicFeet(2)],
  ['mcf', cubicFeet(3)],
]);

/**
 * Returns the scale that converts a volume unit to m³. Returns undefined for any other unit, for a flow (`m³/h`), and for a gallon, which
 * may be American or imperial.
 */
export const findVolumeScale = (unit: string | null | undefined): VolumeScale | undefined =>
  typeof unit === 'string'
    ? UNITS.get(
        unit
          .slice(0, 40)
          .toLowerCase()
          .replaceAll(/[\s_-]/g, ''),
      )
    : undefined;

/** Returns the channel of a volume register: `gas/m3`, `mbus1/water/m3`. */
export const getVolumeChannel = (of: Commodity, circuit = ''): string =>
  circuit === '' ? `${of}/m3` : `${circuit}/${of}/m3`;
