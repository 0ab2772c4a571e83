import { readNumber } from '../read/number.ts';
import { findMetricUnit, findMetricVolumeUnit } from '../sparkplug/units.ts';

/** Matches a text with a number and its unit. */
const WITH_UNIT = /^\s*([+-]?\d{1,12}(?:[.,]\d+)?)\s*\*?(\p{L}[\p{L}\d³]{0,3}|°C)\s*$/u;
/** Matches a number with a comma. Captures the number if the comma cannot separate thousands, as it may in `1,234`. */
const WITH_COMMA = /^\s*[+-]?(?:\d{1,3},\d{3}|(\d{1,12},\d{1,12}))\s*$/;

/**
 * Returns a text with a decimal comma (`1234,5`) with a decimal point instead. Returns null if the comma may separate thousands (`1,234`),
 * and every other text unchanged.
 */
export function replaceDecimalComma(text: string): string | null {
  const found = text.length <= 40 && text.includes(',') ? WITH_COMMA.exec(text) : null;
  if (!found) return text;
  return found[1] === undefined && !/^\s*[+-]?0/.test(text) ? null : text.replace(',', '.');
}

/**
 * Splits a text such as `12345.6 kWh` (openHAB), `145,57 kWh` or `000002.66*kWh` (IEC 62056-21) into number and unit; returns null for
 * every other text.
 */
export function parseNumberWithUnit(text: string): { value: string; unit: string } | null {
  const [, number = '', unit] = text.length > 40 ? [] : (WITH_UNIT.exec(text) ?? []);
  const value = replaceDecimalComma(number);
  if (value === null || unit === undefined || !(findMetricUnit(unit) ?? findMetricVolumeUnit(unit))) return null;
  return { value, unit };
}

/** Minimum of a total without its decimal point. */
const MIN_TOTAL_WITHOUT_POINT = 10_000;
/**
 * Returns the first of four numbers in a text if it is the sum of the other three: the total of a meter and its phases, as in
 * `18.7,6.2,7.1,5.4`. Returns null for every other text.
 */
export function parseTotalOfPhases(text: string): number | null {
  const numbers = text.length > 80 ? [] : text.split(',').map(readNumber);
  const [total, one, two, three] = numbers.filter((number) => typeof number === 'number');
  if (numbers.length !== 4 || total === undefined || one === undefined || two === undefined || three === undefined)
    return null;
  const digits = Math.max(...text.split(',').map((number) => number.trim().split('.')[1]?.length ?? 0));
  // Each number may be rounded by half of its last digit. Small numbers may have this sum by chance.
  const isSum = Math.abs(total - one - two - three) < 2.1 * 10 ** -digits;
  return isSum && total * 10 ** digits > MIN_TOTAL_WITHOUT_POINT ? total : null;
}

/** Matches units of quantities other than active energy, power and volume. */
const OTHER_UNIT =
  /^(?:[km]?va(?:r?h?)|m?[va]|volts?|amp(?:ere)?s?|hz|%|€|eur|usd|gbp|chf|ct|cents?|s|sec|min|h|hours?|°|deg|dbm?|rpm|pa|bar)$/i;
/** Whether a unit that a message states belongs to another quantity, such as reactive energy or a price. */
export const isUnitOfOtherQuantity = (unit: string | undefined): boolean =>
  unit !== undefined && OTHER_UNIT.test(unit.trim());
