import { randomBytes } from 'node:crypto';

/** Crockford's base32 in lower case: no i, l, o, u. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

export type IdPrefix = 'usr' | 'dev' | 'alr' | 'whk' | 'evt' | 'key' | 'gwy' | 'dlv' | 'req';

/** A new identifier: prefix and a UUIDv7 (RFC 9562, 5.7) in 26 characters of base32, so that ids sort by creation. */
export function newId(prefix: IdPrefix, nowMs: number = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  let bits = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let index = 0; index < 26; index++) {
    text = ALPHABET[Number(bits & 31n)] + text;
    bits >>= 5n;
  }
  return `${prefix}_${text}`;
}
