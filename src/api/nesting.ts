/** Deeper than anything that a request means; what walks a value by calling itself runs out of stack thousands of levels further down. */
const MAX_LEVELS = 100;

/** Whether objects and arrays of parsed JSON lie in each other deeper than any request has a reason for. */
export function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= MAX_LEVELS; depth++) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
    if (level.length === 0) return false;
  }
  return true;
}
