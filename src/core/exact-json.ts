/** Number of significant digits up to which a JavaScript number represents every decimal number exactly. */
const EXACT_DIGITS = 15;
/** Matches JSON that may contain a number that JavaScript cannot represent exactly. */
const MAYBE_INEXACT = /\d[\d.]{15}|\d[eE]/;

/** Whether a JSON text may contain a number that `JSON.parse` would change. If not, `JSON.parse` is exact and faster. */
export const canHaveInexactNumbers = (text: string): boolean => MAYBE_INEXACT.test(text);

/**
 * Parses JSON. Numbers that JavaScript would change are returned as text, exactly as they were sent. `members`: the only members whose
 * numbers may become text.
 */
export function parseExactJson(text: string, members?: readonly string[]): unknown {
  // Node 24 passes the source text of each value to the reviver. TypeScript's library does not declare this parameter.
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
    // Without the look-behind, a long run of zeros would take quadratic time.
    .replace(/(?<!0)0+$/, '');
  return Number.isFinite(value) && digits.length <= EXACT_DIGITS && (value !== 0 || digits === '');
}
