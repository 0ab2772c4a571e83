import type { ValueKind } from '../family.ts';
import { asObjectOrNull, getMember, type Json } from '../read/payload.ts';
import { findVolumeScale } from '../read/volume.ts';

/** Scale of a unit: `value * times / per` converts a value to the unit of `kind`. */
export interface MetricUnit {
  kind: Extract<ValueKind, 'energy_total_kwh' | 'power_w' | 'temperature_c' | 'volume_total_m3'>;
  times: number;
  per: number;
  fahrenheit?: true;
}

/** Megajoules per kWh. */
export const MEGAJOULES_PER_KWH = 3.6;
/** British thermal units: one therm is 105.505585257348 MJ, or 29.3071 kWh. */
const THERM = { times: 293_071, per: 10_000 };
const energy = (times: number, per = 1): MetricUnit => ({ kind: 'energy_total_kwh', times, per });
const power = (times: number): MetricUnit => ({ kind: 'power_w', times, per: 1 });
const CELSIUS: MetricUnit = { kind: 'temperature_c', times: 1, per: 1 };
const FAHRENHEIT: MetricUnit = { ...CELSIUS, fahrenheit: true };

/** Units by their usual spellings, in lower case, without blanks, dots and dashes. */
const ANY_CASE = new Map<string, MetricUnit>([
  ...['wh', 'whr', 'watthour', 'watthours'].map((text): [string, MetricUnit] => [text, energy(1, 1_000)]),
  ...['kwh', 'kwhr', 'kilowatthour', 'kilowatthours'].map((text): [string, MetricUnit] => [text, energy(1)]),
  ...['megawatthour', 'megawatthours'].map((text): [string, MetricUnit] => [text, energy(1_000)]),
  ['gwh', energy(1_000_000)],
  ['gj', energy(1_000, MEGAJOULES_PER_KWH)],
  ...['therm', 'therms'].map((text): [string, MetricUnit] => [text, energy(THERM.times, THERM.per)]),
  ...['w', 'watt', 'watts'].map((text): [string, MetricUnit] => [text, power(1)]),
  ...['kw', 'kilowatt', 'kilowatts'].map((text): [string, MetricUnit] => [text, power(1_000)]),
  ...['megawatt', 'megawatts'].map((text): [string, MetricUnit] => [text, power(1_000_000)]),
  ...['c', '°c', 'ºc', '℃', 'degc', 'cel', 'celsius', 'degreescelsius'].map((text): [string, MetricUnit] => [
    text,
    CELSIUS,
  ]),
  ...['f', '°f', 'ºf', '℉', 'degf', 'fahrenheit', 'degreesfahrenheit'].map((text): [string, MetricUnit] => [
    text,
    FAHRENHEIT,
  ]),
]);
/** Units whose case matters, because a small m means milli and not mega. `mwh` may mean either, so it is not a unit here. */
const EXACT = new Map<string, MetricUnit>([
  ['MWh', energy(1_000)],
  ['MWH', energy(1_000)],
  ['MW', power(1_000_000)],
  ['MJ', energy(1, MEGAJOULES_PER_KWH)],
]);

/** Whether a unit is the therm, in which gas and heat are measured, but never electricity. */
export const isTherm = ({ times, per }: Omit<MetricUnit, 'kind'>): boolean =>
  times === THERM.times && per === THERM.per;

/** Returns the unit that a text names; undefined if the decoder does not know the unit. */
export function findMetricUnit(text: string): MetricUnit | undefined {
  const packed = text.slice(0, 40).replaceAll(/[\s.·*_-]/g, '');
  return EXACT.get(packed) ?? ANY_CASE.get(packed.toLowerCase());
}

/**
 * Returns the volume unit that a text means. The text must be a unit property, the brackets of a name or the end of a name. Elsewhere in a
 * name, `m3` may mean motor 3, and `l` a line.
 */
export function findMetricVolumeUnit(text: string): MetricUnit | undefined {
  const scale = findVolumeScale(text.trim());
  return scale && { kind: 'volume_total_m3', ...scale };
}

/** Names of properties in which edge software states the unit of a metric. The standard has no field for the unit. */
const KEYS = new Set(['engunit', 'engunits', 'engineeringunit', 'engineeringunits', 'unit', 'units', 'uom']);

/** Returns the text of the property that states the unit of a metric; undefined if there is no such property. */
export function findUnitProperty(properties: Json | null): string | undefined {
  const keys = getMember(properties, 'keys');
  const values = getMember(properties, 'values');
  if (!Array.isArray(keys) || !Array.isArray(values)) return undefined;
  for (const [index, key] of keys.slice(0, 1_000).entries()) {
    if (
      !KEYS.has(
        String(key)
          .toLowerCase()
          .replaceAll(/[^a-z]/g, ''),
      )
    )
      continue;
    const value = asObjectOrNull(values[index]);
    const text = getMember(value, 'stringValue');
    if (getMember(value, 'isNull') !== true && typeof text === 'string' && text.trim() !== '') return text;
  }
  return undefined;
}
