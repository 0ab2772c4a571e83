import type { Commodity } from '#src/database/meter.ts';

/**
 * What makes m³ of a number: `times` is whole and `per` a power of ten, so that it stays the decimal that was sent (`scaled`).
 */
export interface VolumeScale {
  times: number;
  per: number;
}

const CUBIC_METRE: VolumeScale = { times: 1, per: 1 };
const LITRE: VolumeScale = { times: 1, per: 1_000 };
/** 0.3048³ m³, as the foot is defined. */
const cubicFeet = (hundreds: 0 | 2 | 3): VolumeScale => ({ times: 28_316_846_592, per: 10 ** (12 - hundreds) });
/** 231 cubic inches. An imperial gallon is a fifth more: where nobody says which one is meant, it is no unit. */
export const US_GALLON: VolumeScale = { times: 3_785_411_784, per: 10 ** 12 };

/** As people write them, in lower case without blanks, underscores and dashes. CCF and MCF are a hundred and a thousand ft³. */
const UNITS = new Map<string, VolumeScale>([
  ...['m3', 'm³', 'm^3', 'cbm', 'cubicmeter', 'cubicmeters', 'cubicmetre', 'cubicmetres'].map(
    (text) => [text, CUBIC_METRE] as const,
  ),
  ...['l', 'liter', 'liters', 'litre', 'litres', 'dm3', 'dm³'].map((text) => [text, LITRE] as const),
  ...['ft3', 'ft³', 'ft^3', 'cf', 'cuft', 'cubicfoot', 'cubicfeet'].map((text) => [text, cubicFeet(0)] as const),
  ['ccf', cubicFeet(2)],
  ['mcf', cubicFeet(3)],
]);

/** m³ out of a unit of volume; undefined for any other one, a flow (`m³/h`) and a gallon of nobody knows where among them. */
export const volumeScale = (unit: string | null | undefined): VolumeScale | undefined =>
  typeof unit === 'string'
    ? UNITS.get(
        unit
          .slice(0, 40)
          .toLowerCase()
          .replaceAll(/[\s_-]/g, ''),
      )
    : undefined;

/** Where the volume of a meter goes: `gas/m3`, `mbus1/water/m3`. */
export const volumeChannel = (of: Commodity, circuit = ''): string =>
  circuit === '' ? `${of}/m3` : `${circuit}/${of}/m3`;
