/** Decimal digits with a sign, a fraction and an exponent, and blanks around; nothing of hex, of separators, of emptiness. */
const NUMBER = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?\s*$/i;
/** What firmware prints where it has no value. */
const NOTHING = new Set(['', 'nan', '-nan', 'none', 'null', 'unknown', 'unavailable', 'inf', '-inf', 'n/a', '--', '-']);

/** A number; null: no reading, on purpose; undefined: not a number. */
export type Read = number | null | undefined;

/**
 * Reads a number out of a JSON value or a text, strictly: `Number("")`, `Number(true)`, `Number("0x1F4")` are no measured
 * values. Blank padding and leading zeros are fine.
 */
export function readNumber(value: unknown): Read {
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

/** A state as firmware spells it, in any case; null: no reading, on purpose; undefined: no state. */
export function readBoolean(value: unknown): boolean | null | undefined {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'number' || typeof value === 'string' ? String(value).trim().toLowerCase() : '';
  if (TRUE.has(text)) return true;
  if (FALSE.has(text)) return false;
  return typeof value === 'string' && NOTHING.has(text) ? null : undefined;
}
