/**
 * Matches a decimal number with optional sign, fraction and exponent, and surrounding blanks. Does not match hexadecimal numbers, thousands
 * separators and empty texts.
 */
const NUMBER = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?\s*$/i;
/** Texts that firmware prints instead of a value. */
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

/** Result of reading a number. Null: the device reports that it has no value. Undefined: the value is not a number. */
type ParsedNumber = number | null | undefined;

/**
 * Reads a number from a JSON value or a text. Accepts surrounding blanks and leading zeros. Unlike `Number`, returns null for an empty text
 * (no value), and undefined for a boolean or hexadecimal digits (`true`, `"0x1F4"`), which are not numbers.
 */
export function readNumber(value: unknown): ParsedNumber {
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
 * Reads a boolean state from the words that firmware uses, ignoring upper and lower case. Returns null if the device reports that it has no
 * value; undefined if the value is not a state.
 */
export function readBoolean(value: unknown): boolean | null | undefined {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'number' || typeof value === 'string' ? String(value).trim().toLowerCase() : '';
  if (TRUE.has(text)) return true;
  if (FALSE.has(text)) return false;
  return typeof value === 'string' && NOTHING.has(text) ? null : undefined;
}
