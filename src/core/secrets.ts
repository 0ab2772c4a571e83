import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Environment } from './environment.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Seals what must be stored and read again: webhook secrets, answers that show a secret. */
export interface SecretBox {
  seal(text: string): Buffer;
  /** Throws where the bytes were changed, or sealed with another key. */
  open(sealed: Buffer): string;
}

/** AES-256-GCM with a key derived (HKDF-SHA-256) from the installation's secret; a new nonce for each text. */
export function secretBox(secret: string): SecretBox {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'energy usage service, stored secrets', 32));
  return {
    seal(text) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]);
    },
    open(sealed) {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES));
      decipher.setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
    },
  };
}

const BYTES = 16;

const macOf = (secret: string, purpose: string, id: string): Buffer =>
  createHmac('sha256', secret).update(`${purpose} ${id}`).digest().subarray(0, BYTES);

/**
 * The token of a link in a mail: it allows one purpose for one id, and needs no sign-in. Nothing of it is stored. `secret`: the
 * installation's.
 */
export const mailedToken = (secret: string, purpose: string, id: string): string =>
  `${id}.${macOf(secret, purpose, id).toString('base64url')}`;

/** The id that a token was made for; null if this installation did not make it for the purpose. Pure. */
export function idOfMailedToken(secret: string, purpose: string, token: string): string | null {
  const [, id, mac] = /^([a-z]{3}_[0-9a-z]{26})\.([\w-]{22})$/.exec(token) ?? [];
  if (id === undefined || mac === undefined) return null;
  const given = Buffer.from(mac, 'base64url');
  return given.length === BYTES && timingSafeEqual(given, macOf(secret, purpose, id)) ? id : null;
}

/** What keys begin with, so that one of the sandbox is known by sight. */
export const KEY_PREFIX: Record<Environment, string> = { live: 'eus_live_', sandbox: 'eus_test_' };
/** Characters after the prefix. Keys made here have 42; one that an operator chose (BOOTSTRAP_ADMIN_KEY) may have others. */
export const KEY_CHARACTERS = { least: 32, most: 503 };

/** Whether this can be a key of the environment at all. Keys that an operator chose carry no checksum, so none is asked. */
export function hasKeyForm(text: string, environment: Environment): boolean {
  const prefix = KEY_PREFIX[environment];
  const length = text.length - prefix.length;
  const isLong = length >= KEY_CHARACTERS.least && length <= KEY_CHARACTERS.most;
  return isLong && text.startsWith(prefix) && /^[\x21-\x7e]+$/.test(text);
}
