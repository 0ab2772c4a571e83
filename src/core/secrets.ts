import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { ID_PATTERN, prefixWithCell } from './cell.ts';
import type { Environment } from './environment.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts texts that must be stored and later decrypted: webhook secrets, and stored responses that contain a secret. */
export interface SecretEncrypter {
  seal(text: string): Buffer;
  /** Decrypts a text. Throws if the bytes were changed or encrypted with another key. */
  open(sealed: Buffer): string;
}

/** Creates the encrypter: AES-256-GCM with a key derived from the installation's secret (HKDF-SHA-256), and a new nonce for each text. */
export function createSecretEncrypter(secret: string): SecretEncrypter {
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
 * Returns the token of a mailed link, which permits one purpose for one id without a sign-in. It is not stored. `secret`: the
 * installation's secret.
 */
export const createMailedToken = (secret: string, purpose: string, id: string): string =>
  prefixWithCell(`${id}.${macOf(secret, purpose, id).toString('base64url')}`);

const MAILED = new RegExp(`^(?:[a-z][a-z0-9]*\\.)?([a-z]{3}_${ID_PATTERN})\\.([\\w-]{22})$`);

/** Returns the id for which a token was created; null if the token is not valid for the purpose. */
export function verifyMailedToken(secret: string, purpose: string, token: string): string | null {
  const [, id, mac] = MAILED.exec(token) ?? [];
  if (id === undefined || mac === undefined) return null;
  const presentedMac = Buffer.from(mac, 'base64url');
  return presentedMac.length === BYTES && timingSafeEqual(presentedMac, macOf(secret, purpose, id)) ? id : null;
}

/** Prefixes of API keys by environment, so that a person can distinguish keys of the sandbox. */
export const API_KEY_PREFIX: Record<Environment, string> = { live: 'eus_live_', sandbox: 'eus_test_' };
/**
 * Number of characters of an API key after the prefix. Generated keys have 42; a key that an operator chose (BOOTSTRAP_ADMIN_KEY) may have
 * another number.
 */
export const API_KEY_LENGTH_LIMITS = { least: 32, most: 503 };

/** Whether a text has the form of a key of the environment. Keys that an operator chose have no checksum. */
export function isApiKeyFormat(text: string, environment: Environment): boolean {
  const prefix = API_KEY_PREFIX[environment];
  const length = text.length - prefix.length;
  const isLong = length >= API_KEY_LENGTH_LIMITS.least && length <= API_KEY_LENGTH_LIMITS.most;
  return isLong && text.startsWith(prefix) && /^[\x21-\x7e]+$/.test(text);
}
