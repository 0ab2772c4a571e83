const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/**
 * Hash of a text, a whole number from 0 below 2^32: FNV-1a over its UTF-16 units, which of ASCII are its bytes. Another `basis` gives
 * another hash of each text; where strangers choose the texts, and must not know what they come to, it is a random one.
 */
export function fnv1a(text: string, basis = OFFSET_BASIS): number {
  let hash = basis;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), PRIME);
  return hash >>> 0;
}
