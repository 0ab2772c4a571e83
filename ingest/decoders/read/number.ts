/**
 * Decimal number with optional sign, fraction and exponent, and surrounding blanks. Hexadecimal numbers, separators and empty texts do not
 * match.
 */
const NUMBER = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?\s*$/i;
/** Texts that firmware prints if it has no value. */
const NOTHING = new Set([
  '',
  'nan',
  '-nan',
  'none',
  'null',
  'unknown',
  'unavailable',
  'inf',
  '+inf',
  '-inf',
  'n/a',
  '--',
  '-',
]);

/** Result of reading a number: the number, null for an intended "no value", undefined if it is not a number. */
export type NumberOrNoReading = number | null | undefined;

/**
 * Reads a number from a JSON value or a text. Strict: the results of `Number("")`, `Number(true)` and `Number("0x1F4")` are no measured
 * values. Surrounding blanks and leading zeros are accepted.
 */
export function readNumber(value: unknown): NumberOrNoReading {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || value.length > 64) return undefined;
  if (NOTHING.has(value.trim().toLowerCase())) return null;
  if (!NUMBER.test(value)) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

const TRUE = new Set(['true', 'on', '1', 'online', 'yes']);
const FALSE = new Set(['false', 'off', '0', 'offline', 'no']);

/**
 * Reads a boolean state in the spellings of firmware, in any case. Returns null for an intended "no value", undefined if it is no state.
 */
export function readBoolean(value: unknown): boolean | null | undefined {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'number' || typeof value === 'string' ? String(value).trim().toLowerCase() : '';
  if (TRUE.has(text)) return true;
  if (FALSE.has(text)) return false;
  return typeof value === 'string' && NOTHING.has(text) ? null : undefined;
}
