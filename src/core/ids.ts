import { randomFillSync } from 'node:crypto';
import { getCellInfix } from './cell.ts';

/** Crockford's base32 in lower case: no i, l, o, u. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

type IdPrefix =
  | 'usr'
  | 'dev'
  | 'alr'
  | 'whk'
  | 'evt'
  | 'key'
  | 'gwy'
  | 'dsc'
  | 'dlv'
  | 'req'
  | 'sgn'
  | 'ses'
  | 'aud'
  | 'trf'
  | 'prs'
  | 'ems'
  | 'grp'
  | 'imp'
  | 'prb'
  | 'bil'
  | 'edt'
  | 'emc'
  | 'mem'
  | 'app'
  | 'aut'
  | 'pky';

/** Prefixes of identifiers that contain the cell's name, because the router reads it. */
const WITH_CELL: ReadonlySet<IdPrefix> = new Set<IdPrefix>(['usr', 'dev', 'gwy', 'sgn']);

const ID_BYTES = 16;
/** Random bytes for the next 256 identifiers, because a call for each identifier is slow. */
const random = Buffer.alloc(256 * ID_BYTES);
let usedBytes = random.length;

let latestMs = 0;
/** Returns the clock's time, but never an earlier time than before, because the order of ids must follow the order of creation. */
const withoutStepsBack = (): number => {
  latestMs = Math.max(latestMs, Date.now());
  return latestMs;
};

/**
 * Creates an identifier: prefix, the cell's name if the router needs it, and a UUIDv7 (RFC 9562, 5.7) in 26 characters of base32. Ids sort
 * by time of creation.
 */
export function createId(prefix: IdPrefix, nowMs: number = withoutStepsBack()): string {
  if (usedBytes === random.length) {
    randomFillSync(random);
    usedBytes = 0;
  }
  const bytes = random.subarray(usedBytes, usedBytes + ID_BYTES);
  usedBytes += ID_BYTES;
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  // 26 characters of 5 bits contain the 128 bits; the first two bits are 0.
  let text = '';
  let rest = 0;
  let bits = 2;
  for (const byte of bytes) {
    rest = (rest << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(rest >> bits) & 31];
    }
    rest &= (1 << bits) - 1;
  }
  return `${prefix}_${WITH_CELL.has(prefix) ? getCellInfix() : ''}${text}`;
}
