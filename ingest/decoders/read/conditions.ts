import { compileJsonPath } from '#src/core/json-path.ts';
import type { PayloadConditions } from '#src/devices/mapping.ts';

/** Function that returns whether a body fulfils all conditions. */
export type PayloadPredicate = (body: unknown) => boolean;

const ALWAYS: PayloadPredicate = () => true;

/**
 * Compiles the conditions on a JSON body: each JSONPath must lead to the required value. A number also equals its text, because many
 * bridges publish all values as texts. Without conditions, the compiled test is always true.
 */
export function compilePayloadConditions(where: PayloadConditions | undefined): PayloadPredicate {
  if (where === undefined) return ALWAYS;
  const all = Object.entries(where).map(([path, wanted]) => ({ read: compileJsonPath(path), wanted }));
  return (body) => all.every(({ read, wanted }) => isEqual(read?.(body), wanted));
}

function isEqual(value: unknown, wanted: string | number | boolean): boolean {
  if (value === wanted) return true;
  if (typeof value === 'number' && typeof wanted === 'string') return String(value) === wanted.trim();
  return typeof value === 'string' && typeof wanted === 'number' && value.trim() !== '' && Number(value) === wanted;
}
