import { createHash, createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { prefixWithCell } from '#src/core/cell.ts';
import { createId } from '#src/core/ids.ts';
import { createMailedToken, verifyMailedToken } from '#src/core/secrets.ts';
import type { Database } from '#src/database/connect.ts';
import type { LANGUAGES } from '#src/database/enums.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { findAccountOfEmailChange } from '#src/users/email-changes.ts';
import { applyEmailChange } from '#src/users/store.ts';
import { openSession, type SignInOrigin } from './sessions.ts';

/** Validity of a mailed link and code, in ms. */
export const SIGN_IN_VALIDITY_MS = 15 * 60_000;
/** Maximum number of attempts for one sign-in, because a short code is easy to guess. */
const MAX_TRIES = 5;
const CODE_DIGITS = 8;
/** Time in ms during which a request for a mail counts towards the limits of sign-in mails. */
const COUNTED_FOR_MS = 86_400_000;

/** A sign-in that can be used once, either by the token in a mailed link, or by the sign-in's id and the mailed code. */
export interface SignIn {
  sign_in_id: string;
  user_id: string;
  token: string;
  code: string;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest();
const macOf = (secret: string, signInId: string, code: string) =>
  createHmac('sha256', secret).update(`sign-in ${signInId} ${code}`).digest();

/** Account that was found by its e-mail address, with the language of its mails. */
interface AddressedAccount {
  user_id: string;
  email: string;
  language: (typeof LANGUAGES)[number];
  /** Time of the account's first sign-in; null if nobody has signed in yet. */
  signed_in_at: Date | null;
}

/** Returns the account with an e-mail address, ignoring case; null if there is no such account. */
export async function findAccountOfEmail(db: Database, email: string): Promise<AddressedAccount | null> {
  const row = await db
    .selectFrom('users')
    .select(['user_id', 'email', 'language', 'signed_in_at'])
    .where((where) => where(where.fn<string>('lower', ['email']), '=', email.toLowerCase()))
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Creates a sign-in for an account. Null if the account no longer exists or has reached its limit of mails. `signInId`: an id
 * that the browser already has. `asker`: the browser that requests the mail; omitted for an operator. `bySession`: the session
 * that creates the sign-in for another device. `alone`: invalidates all other pending sign-ins of the account. `secret`: the
 * installation's secret.
 */
export async function createSignIn(
  db: Database,
  options: {
    userId: string;
    secret: string;
    now: Date;
    validMs: number;
    signInId?: string;
    asker?: SignInRequester;
    bySession?: string;
    alone?: boolean;
  },
): Promise<SignIn | null> {
  const { userId, secret, now, validMs, signInId = createId('sgn'), asker, bySession, alone = false } = options;
  const token = prefixWithCell(randomBytes(32).toString('base64url'));
  const code = String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0');
  const browser = asker && sha256(asker.browserId);
  return joinOrBeginTransaction(db, async (trx) => {
    // Locks the account, so that concurrent requests cannot exceed the limit of mails.
    if (!(await lockAccount(trx, userId))) return null;
    if (alone) await trx.deleteFrom('sign_ins').where('user_id', '=', userId).execute();
    if (asker && browser) {
      if (!isSignInMailAllowed(asker, await askedBefore(trx, userId, { browser, network: asker.network, now })))
        return null;
      await trx
        .updateTable('sign_ins')
        .set({ expires_at: now })
        .where('user_id', '=', userId)
        .where('browser_sha256', '=', browser)
        .where('expires_at', '>', now)
        .execute();
    }
    await trx
      .insertInto('sign_ins')
      .values({
        sign_in_id: signInId,
        user_id: userId,
        token_sha256: sha256(token),
        code_mac: macOf(secret, signInId, code),
        created_at: now,
        expires_at: new Date(now.getTime() + validMs),
        browser_sha256: browser ?? null,
        network: asker?.network ?? null,
        is_known: asker?.isKnown ?? false,
        session_id: bySession ?? null,
      })
      .execute();
    return { sign_in_id: signInId, user_id: userId, token, code };
  });
}

async function askedBefore(
  trx: Database,
  userId: string,
  { browser, network, now }: { browser: Buffer; network: string; now: Date },
): Promise<UnusedSignInMailCounts> {
  const lately = new Date(now.getTime() - SIGN_IN_VALIDITY_MS);
  return (
    trx
      .selectFrom('sign_ins')
      .select(({ fn }) => {
        const ofBrowser = fn.countAll<number>().filterWhere('browser_sha256', '=', browser);
        const ofStrangers = fn.countAll<number>().filterWhere('is_known', '=', false);
        const ofStrangersHere = ofStrangers.filterWhere('network', '=', network);
        return [
          ofBrowser.filterWhere('created_at', '>', lately).as('byBrowser'),
          ofBrowser.as('byBrowserToday'),
          ofStrangers.filterWhere('created_at', '>', lately).as('byStrangers'),
          ofStrangersHere.filterWhere('created_at', '>', lately).as('byStrangersHere'),
          ofStrangersHere.as('byStrangersHereToday'),
        ];
      })
      .where('user_id', '=', userId)
      .where('created_at', '>', new Date(now.getTime() - COUNTED_FOR_MS))
      // The limits do not apply to sign-ins that an operator created.
      .where('browser_sha256', 'is not', null)
      .executeTakeFirstOrThrow()
  );
}

/** What a person presents for signing in: the token of a link, or a mailed code together with the id of the sign-in. */
type Proof = { token: string } | { signInId: string; code: string };

/**
 * Signs in with a mailed token or code, and opens a session. Null if the token or code is wrong, used or expired. Every attempt
 * with a code is counted before the code is checked.
 */
export async function signIn(
  db: Database,
  proof: Proof,
  options: { secret: string; now: Date; from: SignInOrigin },
): Promise<{ user_id: string; session_id: string; secret: string } | null> {
  const { secret, now, from } = options;
  const found = 'token' in proof ? await findToken(db, proof.token, now) : await tryCode(db, proof, secret, now);
  if (!found) return null;
  const { user_id, sign_in_id } = found;
  return joinOrBeginTransaction(db, async (trx) => {
    if (!(await lockAccount(trx, user_id))) return null;
    const used = await trx
      .deleteFrom('sign_ins')
      .where('sign_in_id', '=', sign_in_id)
      .where('expires_at', '>', now)
      .returning('session_id')
      .executeTakeFirst();
    if (!used) return null;
    const by = used.session_id === null ? {} : ({ by: 'device' } as const);
    return { user_id, ...(await openSession(trx, user_id, now, { ...from, ...by })) };
  });
}

/**
 * Confirms an account's new address by the mailed token, and signs in. All earlier keys and sessions end. Null if the token is
 * not valid or the change was withdrawn. Throws 409 if another account has the address.
 */
export async function confirmEmailChange(
  db: Database,
  token: string,
  { secret, now, from }: { secret: string; now: Date; from: SignInOrigin },
): Promise<{ user_id: string; session_id: string; secret: string } | null> {
  const emailChangeId = verifyMailedToken(secret, 'email', token);
  const userId = emailChangeId && (await findAccountOfEmailChange(db, emailChangeId));
  if (!userId) return null;
  return joinOrBeginTransaction(db, async (trx) => {
    if (!(await lockAccount(trx, userId)) || !(await applyEmailChange(trx, emailChangeId))) return null;
    return { user_id: userId, ...(await openSession(trx, userId, now, from, 'email')) };
  });
}

/** Locks the account's row. Undefined if the account no longer exists. */
export async function lockAccount(trx: Database, userId: string) {
  return trx
    .selectFrom('users')
    .select(['email', 'role'])
    .where('user_id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

interface Waiting {
  user_id: string;
  sign_in_id: string;
}

async function findToken(db: Database, token: string, now: Date): Promise<Waiting | null> {
  const row = await db
    .selectFrom('sign_ins')
    .select(['user_id', 'sign_in_id'])
    .where('token_sha256', '=', sha256(token))
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row ?? null;
}

/** Returns the account of a sign-in that failed; null if there is no such sign-in. */
export async function findAccountOfSignIn(db: Database, signInId: string): Promise<string | null> {
  if (signInId.includes('\0')) return null;
  const row = await db.selectFrom('sign_ins').select('user_id').where('sign_in_id', '=', signInId).executeTakeFirst();
  return row?.user_id ?? null;
}

async function tryCode(
  db: Database,
  { signInId, code }: { signInId: string; code: string },
  secret: string,
  now: Date,
): Promise<Waiting | null> {
  const known = await db
    .updateTable('sign_ins')
    .set((set) => ({ tried_codes: set('tried_codes', '+', 1) }))
    .where('sign_in_id', '=', signInId)
    .where('expires_at', '>', now)
    .where('tried_codes', '<', MAX_TRIES)
    .returning(['user_id', 'code_mac'])
    .executeTakeFirst();
  if (!known || !timingSafeEqual(known.code_mac, macOf(secret, signInId, code))) return null;
  return { user_id: known.user_id, sign_in_id: signInId };
}

/**
 * Returns the URL of a sign-in link. The token is in the URL's fragment, which browsers do not send, so that no server log
 * contains the token.
 */
export const getSignInLink = (publicUrl: string, token: string): string => `${publicUrl}/dashboard/sign-in#${token}`;

/** Returns the URL of a link that confirms an account's new e-mail address. */
export const getEmailConfirmationLink = (publicUrl: string, secret: string, emailChangeId: string): string =>
  `${publicUrl}/dashboard/email#${createMailedToken(secret, 'email', emailChangeId)}`;

export interface SignInRequester {
  /** Identifier of the browser, from its cookie. */
  browserId: string;
  /** Whether anybody has signed in to the account with this browser before. */
  isKnown: boolean;
  /** Network of the browser: an IPv4 address, or the /64 network of an IPv6 address. */
  network: string;
}

/** Numbers of those sign-in mails of an account whose links have not been used. */
export interface UnusedSignInMailCounts {
  /** Mails that this browser requested: in the last 15 minutes, and in the last day. */
  byBrowser: number;
  byBrowserToday: number;
  /**
   * Mails that were requested by browsers with which nobody has signed in to the account. `byStrangers`: in the last 15 minutes, from any
   * network. `byStrangersHere` and `byStrangersHereToday`: from this browser's network, in the last 15 minutes and in the last day.
   */
  byStrangers: number;
  byStrangersHere: number;
  byStrangersHereToday: number;
}

/** Maximum number of mails in 15 minutes for one known browser. */
const MAX_PER_BROWSER = 5;
/** Maximum number of mails in 15 minutes for all unknown browsers of one network. */
const MAX_STRANGERS_PER_NETWORK = 10;
/** Maximum number of mails in a day, for one known browser or for all unknown browsers of one network. */
const MAX_PER_DAY = 40;
/**
 * Maximum number of mails in 15 minutes for all unknown browsers of all networks. It also limits how many codes an attacker can
 * guess: five for each mail.
 */
const MAX_STRANGERS = 20;

/**
 * Whether another mail may be sent to an account. Known browsers, single networks and all unknown browsers have separate limits.
 */
export function isSignInMailAllowed({ isKnown }: SignInRequester, before: UnusedSignInMailCounts): boolean {
  if (isKnown) return before.byBrowser < MAX_PER_BROWSER && before.byBrowserToday < MAX_PER_DAY;
  return (
    before.byStrangersHere < MAX_STRANGERS_PER_NETWORK &&
    before.byStrangersHereToday < MAX_PER_DAY &&
    before.byStrangers < MAX_STRANGERS
  );
}
