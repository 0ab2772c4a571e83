/**
 * Maximum nesting depth. No valid request is deeper; recursive functions would overflow the stack at some thousands of
 * levels.
 */
const MAX_LEVELS = 100;

/** Whether objects and arrays of parsed JSON are nested more deeply than any valid request. */
export function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= MAX_LEVELS; depth++) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
    if (level.length === 0) return false;
  }
  return true;
}
