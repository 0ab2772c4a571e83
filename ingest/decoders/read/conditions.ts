import { compileJsonPath } from '#src/core/json-path.ts';
import type { PayloadConditions } from '#src/devices/mapping.ts';

/** Whether a body fulfils all conditions. */
export type Conditions = (body: unknown) => boolean;

const ALWAYS: Conditions = () => true;

/**
 * Compiles conditions on the content of a body: each JSONPath must lead to its value. A number equals the same number as a text, because many
 * bridges print all values as texts. Returns a function that is always true if there are no conditions.
 */
export function compileConditions(where: PayloadConditions | undefined): Conditions {
  if (where === undefined) return ALWAYS;
  const all = Object.entries(where).map(([path, wanted]) => ({ read: compileJsonPath(path), wanted }));
  return (body) => all.every(({ read, wanted }) => isEqual(read?.(body), wanted));
}

function isEqual(value: unknown, wanted: string | number | boolean): boolean {
  if (value === wanted) return true;
  if (typeof value === 'number' && typeof wanted === 'string') return String(value) === wanted.trim();
  return typeof value === 'string' && typeof wanted === 'number' && value.trim() !== '' && Number(value) === wanted;
}
