import { createHmac, timingSafeEqual } from 'node:crypto';

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
