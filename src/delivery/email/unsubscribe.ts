import { createHmac, timingSafeEqual } from 'node:crypto';

const BYTES = 16;

const macOf = (secret: string, alertId: string): Buffer =>
  createHmac('sha256', secret).update(`unsubscribe ${alertId}`).digest().subarray(0, BYTES);

/** A token that pauses one alert and nothing else; it stands in its mails and needs no sign-in (RFC 8058). */
export const unsubscribeToken = (secret: string, alertId: string): string =>
  `${alertId}.${macOf(secret, alertId).toString('base64url')}`;

/** The alert that a token pauses; null where it was not made here. */
export function alertOfToken(secret: string, token: string): string | null {
  const [, alertId, mac] = /^(alr_[0-9a-z]{26})\.([\w-]{22})$/.exec(token) ?? [];
  if (alertId === undefined || mac === undefined) return null;
  const given = Buffer.from(mac, 'base64url');
  return given.length === BYTES && timingSafeEqual(given, macOf(secret, alertId)) ? alertId : null;
}
