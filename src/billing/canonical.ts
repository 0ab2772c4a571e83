import { createHash } from 'node:crypto';

/** What JSON can say. */
type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json };

/**
 * JSON in the canonical form of RFC 8785: members in the order of their UTF-16 code units, no blanks, strings and numbers as ECMAScript
 * writes them. Two parties that know the same values get the same bytes.
 */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  // The default order of strings in ECMAScript is that of their code units.
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, one]) => `${JSON.stringify(name)}:${canonicalJson(one)}`).join(',')}}`;
}

/** SHA-256 of the canonical form, in UTF-8; 32 bytes. */
export const checksum = (value: Json): Buffer => createHash('sha256').update(canonicalJson(value), 'utf8').digest();
