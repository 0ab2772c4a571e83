/** Number of digits up to which every decimal number is unchanged after a conversion to a double and back. */
const EXACT_DIGITS = 15;
/** Matches JSON that may contain a number with an exponent, or with more digits than a double represents exactly. */
const MAYBE_INEXACT = /\d[\d.]{15}|\d[eE]/;

/** Whether a JSON text may contain a number that a double would change. If not, `JSON.parse` is exact, and faster than `parseExactJson`. */
export const canHaveInexactNumbers = (text: string): boolean => MAYBE_INEXACT.test(text);

/**
 * Parses JSON. Numbers that a double would change are returned as text, exactly as they were sent. `members`: names of the only members
 * whose numbers may become text.
 */
export function parseExactJson(text: string, members?: readonly string[]): unknown {
  // Node 24 passes the source text of each value to the reviver (ECMAScript, "JSON.parse source text access"). TypeScript's library does
  // not declare this parameter yet.
  const asWritten = (name: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' &&
    (members?.includes(name) ?? true) &&
    context?.source !== undefined &&
    !isExact(value, context.source)
      ? context.source
      : value;
  return JSON.parse(text, asWritten);
}

function isExact(value: number, source: string): boolean {
  const digits = source
    .replace(/[eE].*/, '')
    .replaceAll(/[-.]/g, '')
    .replace(/^0+/, '')
    // Without the look-behind, the regular expression would start a new search at each of the zeros within a number.
    .replace(/(?<!0)0+$/, '');
  return Number.isFinite(value) && digits.length <= EXACT_DIGITS && (value !== 0 || digits === '');
}
