import { hash, randomBytes } from 'node:crypto';
import { getCellInfix, parseCell } from '#src/core/cell.ts';
import type { Environment } from '#src/core/environment.ts';
import { API_KEY_PREFIX } from '#src/core/secrets.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_CHARACTERS = 36;
const CHECK_CHARACTERS = 6;
/** Returns how many characters of a key are shown in lists: those of the environment, the cell and the next four. */
const shownOf = (key: string): number => API_KEY_PREFIX.live.length + (parseCell(key)?.length ?? -1) + 1 + 4;

/**
 * Computes the checksum of a key, six characters. Secret scanners recognise a key by its checksum, without a query to this
 * service.
 */
function checksum(text: string): string {
  let number = hash('sha256', text, 'buffer').readUIntBE(0, 6);
  let check = '';
  for (let index = 0; index < CHECK_CHARACTERS; index++) {
    check += BASE62[number % 62];
    number = Math.floor(number / 62);
  }
  return check;
}

/**
 * Creates a secret from a prefix, the name of the cell (if there is one), 36 random characters (214 bits of entropy) and a
 * checksum.
 */
export function createSecret(prefix: string): string {
  let random = '';
  while (random.length < RANDOM_CHARACTERS) {
    // Random bytes of 248 and above are discarded, because otherwise some characters would be more likely than others.
    for (const byte of randomBytes(64))
      if (byte < 248 && random.length < RANDOM_CHARACTERS) random += BASE62[byte % 62];
  }
  const body = prefix + getCellInfix() + random;
  return body + checksum(body);
}

/** Prefixes of the secrets of apps: access tokens, refresh tokens and authorization codes. */
export const TOKEN_PREFIX = { access: 'eus_at_', refresh: 'eus_rt_', code: 'eus_ac_' } as const;

/** Whether a text has the form and a valid checksum of an app's access token. */
export const isAccessToken = (text: string): boolean =>
  /^eus_at_(?:[a-z][a-z0-9]*_)?[0-9A-Za-z]{42}$/.test(text) &&
  checksum(text.slice(0, -CHECK_CHARACTERS)) === text.slice(-CHECK_CHARACTERS);

/** Creates a key: `eus_live_` or `eus_test_`, the cell's name (if there is one), random characters and a checksum. */
export const createApiKey = (environment: Environment): string => createSecret(API_KEY_PREFIX[environment]);

export const hashApiKey = (key: string): Buffer => hash('sha256', key, 'buffer');
/** Faster than the conversion of `hashApiKey` to text, because Node then allocates no buffer. */
export const hashApiKeyToBase64 = (key: string): string => hash('sha256', key, 'base64');
export const getShownKeyPrefix = (key: string): string => key.slice(0, shownOf(key));
