import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Content of a browser's cookie: an id of the browser, and a proof that somebody has signed in to an account with this browser.
 */
export interface BrowserIdentity {
  id: string;
  proof: string | null;
}

const COOKIE = /^([\w-]{22})(?:\.([\w-]{22}))?$/;

export const createBrowserIdentity = (): BrowserIdentity => ({
  id: randomBytes(16).toString('base64url'),
  proof: null,
});

/** Parses the value of a browser cookie; null if this service did not create it. */
export function parseBrowserCookie(cookie: string | undefined): BrowserIdentity | null {
  const [, id, proof = null] = COOKIE.exec(cookie ?? '') ?? [];
  return id === undefined ? null : { id, proof };
}

/**
 * Returns the value of the cookie for a browser that has signed in with this e-mail address. `secret`: the installation's secret.
 */
export const createBrowserCookie = (secret: string, { id }: BrowserIdentity, email: string): string =>
  `${id}.${proofOf(secret, id, email)}`;

/**
 * Whether the browser has signed in with this e-mail address before, ignoring case. The proof in the cookie is checked without a
 * query.
 */
export function isKnownBrowser(secret: string, { id, proof }: BrowserIdentity, email: string): boolean {
  return proof !== null && timingSafeEqual(Buffer.from(proof), Buffer.from(proofOf(secret, id, email)));
}

const proofOf = (secret: string, id: string, email: string): string =>
  createHmac('sha256', secret).update(`browser ${id} ${email.toLowerCase()}`).digest('base64url').slice(0, 22);
