import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** What a browser's cookie says of it: an identifier, and a proof of the account that it signed in to last. */
export interface Browser {
  id: string;
  proof: string | null;
}

const COOKIE = /^([\w-]{22})(?:\.([\w-]{22}))?$/;

export const newBrowser = (): Browser => ({ id: randomBytes(16).toString('base64url'), proof: null });

/** The browser that a cookie's value names; null where it is none of ours. */
export function browserOf(cookie: string | undefined): Browser | null {
  const [, id, proof = null] = COOKIE.exec(cookie ?? '') ?? [];
  return id === undefined ? null : { id, proof };
}

/** The value of the cookie of a browser that has signed in to the account of an e-mail address. `secret`: the installation's. */
export const knownBrowser = (secret: string, { id }: Browser, email: string): string =>
  `${id}.${proofOf(secret, id, email)}`;

/** Whether it has signed in to the account that has this address, in whatever case; without asking what accounts there are. */
export function isKnownBrowser(secret: string, { id, proof }: Browser, email: string): boolean {
  return proof !== null && timingSafeEqual(Buffer.from(proof), Buffer.from(proofOf(secret, id, email)));
}

const proofOf = (secret: string, id: string, email: string): string =>
  createHmac('sha256', secret).update(`browser ${id} ${email.toLowerCase()}`).digest('base64url').slice(0, 22);
