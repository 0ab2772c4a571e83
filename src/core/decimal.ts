declare const unit: unique symbol;
/** Exact number with up to 9 decimals, in billionths of its unit, for prices and factors. */
export type Billionths = bigint & { readonly [unit]: 'nano' };

const PLACES = 9;
/** Maximum number of digits before the point; a longer number cannot be a price. */
const MAX_WHOLE_DIGITS = 12;
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/i;

/** Casts a number to billionths without a check, for results of arithmetic and stored values. */
export const castToBillionths = (value: bigint): Billionths => value as Billionths;

/**
 * Parses a decimal exactly: `0.2815`, `-3`, `1e-7`. Returns null if the text is not a decimal, is 10^12 or more, or has more than 9
 * decimals.
 */
export function parseDecimal(text: string): Billionths | null {
  const [, sign, whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? [];
  if (sign === undefined) return null;
  const places = fraction.length - Number(exponent);
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  if (digits === '') return castToBillionths(0n);
  if (digits.length - places > MAX_WHOLE_DIGITS) return null;
  const shift = PLACES - places;
  const keptDigits = shift < 0 ? digits.slice(0, shift) : digits;
  if (shift < 0 && (digits.length <= -shift || /[1-9]/.test(digits.slice(shift)))) return null;
  const value = BigInt(keptDigits) * 10n ** BigInt(Math.max(shift, 0));
  return castToBillionths(sign === '-' ? -value : value);
}

/** Maximum length of a text that is parsed as a decimal of any precision. */
const MAX_DECIMAL_CHARACTERS = 100;

/**
 * Parses a decimal of any precision, multiplies it by a factor, and rounds the product to 9 decimals, halves away from zero. Returns null
 * if the text is not a decimal, or the product is 10^12 or more.
 */
export function parseScaledDecimal(text: string, factor: Billionths): Billionths | null {
  if (text.length > MAX_DECIMAL_CHARACTERS) return null;
  const [, sign, whole = '', fraction = '', power = '0'] = DECIMAL.exec(text) ?? [];
  if (sign === undefined) return null;
  const exponent = Number(power) - fraction.length;
  const product = BigInt(`${whole}${fraction}`) * factor;
  const size = (product < 0n ? -product : product) * 10n ** BigInt(Math.max(exponent, 0));
  const divisor = 10n ** BigInt(Math.max(-exponent, 0));
  const rounded = (2n * size + divisor) / (2n * divisor);
  if (rounded >= 10n ** BigInt(MAX_WHOLE_DIGITS + PLACES)) return null;
  return castToBillionths(product < 0n === (sign === '-') ? rounded : -rounded);
}

/** Returns the shortest text for a number: `0.2815`, `-3`. */
export function formatDecimal(value: Billionths): string {
  const [sign, digits] = [value < 0n ? '-' : '', String(value < 0n ? -value : value).padStart(PLACES + 1, '0')];
  const fraction = digits.slice(-PLACES).replace(/0+$/, '');
  return `${sign}${digits.slice(0, -PLACES)}${fraction && '.'}${fraction}`;
}

/** Exact fraction. The denominator is positive. */
export interface Fraction {
  numerator: bigint;
  denominator: bigint;
}

export const ZERO_FRACTION: Fraction = { numerator: 0n, denominator: 1n };

/** Adds fractions exactly, without reducing the sum to lowest terms. */
export function addFractions(...fractions: readonly Fraction[]): Fraction {
  let { numerator, denominator } = ZERO_FRACTION;
  for (const one of fractions) {
    if (one.denominator === denominator) numerator += one.numerator;
    else {
      numerator = numerator * one.denominator + one.numerator * denominator;
      denominator *= one.denominator;
    }
  }
  return { numerator, denominator };
}

export const negateFraction = ({ numerator, denominator }: Fraction): Fraction => ({
  numerator: -numerator,
  denominator,
});

/** Rounds a fraction to a number of decimals, halves away from zero: `0.30`, `-12`. Zero is never `-0.00`. */
export function formatRounded({ numerator, denominator }: Fraction, decimals: number): string {
  const size = (numerator < 0n ? -numerator : numerator) * 10n ** BigInt(decimals);
  const rounded = (2n * size + denominator) / (2n * denominator);
  const digits = String(rounded).padStart(decimals + 1, '0');
  const sign = numerator < 0n && rounded > 0n ? '-' : '';
  return decimals === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
