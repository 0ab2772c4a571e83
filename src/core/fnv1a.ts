const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/**
 * Returns the FNV-1a hash of a string (its UTF-16 units), an integer from 0 to 2^32 - 1. For strings from untrusted clients, `basis` should
 * be random, so that they cannot predict hashes.
 */
export function hashFnv1a(text: string, basis = OFFSET_BASIS): number {
  let hash = basis;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), PRIME);
  return hash >>> 0;
}
