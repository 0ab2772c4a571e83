import { createHash, createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { newId } from '#src/core/ids.ts';
import { idOfMailedToken, mailedToken } from '#src/core/secrets.ts';
import type { Database } from '#src/database/connect.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { accountOfEmailChange } from '#src/users/email-changes.ts';
import { takeEmailChange } from '#src/users/store.ts';
import { openSession, type SignedInFrom } from './sessions.ts';

/** How long a link and a code of a mail are good for. */
export const MAILED_FOR_MS = 15 * 60_000;
/** A short code is soon guessed: a sign-in allows this many tries. */
const MAX_TRIES = 5;
const CODE_DIGITS = 8;
/** How long a request for a mail counts against whoever made it (sign-in-limits.ts). */
const COUNTED_FOR_MS = 86_400_000;

/** A way to sign in once: by the token (in a link), or by the code together with the id. */
export interface SignIn {
  sign_in_id: string;
  user_id: string;
  token: string;
  code: string;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest();
const macOf = (secret: string, signInId: string, code: string) =>
  createHmac('sha256', secret).update(`sign-in ${signInId} ${code}`).digest();

/** The account that an e-mail address belongs to, in whatever case; null where there is none. */
export async function accountOf(db: Database, email: string): Promise<{ user_id: string; email: string } | null> {
  const row = await db
    .selectFrom('users')
    .select(['user_id', 'email'])
    .where((where) => where(where.fn<string>('lower', ['email']), '=', email.toLowerCase()))
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Makes a sign-in of an account. `signInId`: one that was told before it was known whether there is such an account.
 * `asker`: who wants it, none where an operator does; its new one replaces the one before, and nobody else's. Null where the
 * account is gone, or is mailed no more for now. `alone`: those that wait are over then. `secret`: the installation's.
 */
export async function createSignIn(
  db: Database,
  options: {
    userId: string;
    secret: string;
    now: Date;
    validMs: number;
    signInId?: string;
    asker?: Asker;
    alone?: boolean;
  },
): Promise<SignIn | null> {
  const { userId, secret, now, validMs, signInId = newId('sgn'), asker, alone = false } = options;
  const token = randomBytes(32).toString('base64url');
  const code = String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0');
  const browser = asker && sha256(asker.browserId);
  return joinOrBeginTransaction(db, async (trx) => {
    // One at a time for an account, so that the count holds.
    if (!(await holdAccount(trx, userId))) return null;
    if (alone) await trx.deleteFrom('sign_ins').where('user_id', '=', userId).execute();
    if (asker && browser) {
      if (!mayAsk(asker, await askedBefore(trx, userId, { browser, network: asker.network, now }))) return null;
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
      })
      .execute();
    return { sign_in_id: signInId, user_id: userId, token, code };
  });
}

async function askedBefore(
  trx: Database,
  userId: string,
  { browser, network, now }: { browser: Buffer; network: string; now: Date },
): Promise<AskedBefore> {
  const lately = new Date(now.getTime() - MAILED_FOR_MS);
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
      // Not those that an operator made.
      .where('browser_sha256', 'is not', null)
      .executeTakeFirstOrThrow()
  );
}

/** What somebody signs in with: the token of a link, or the code of a mail with the id of the asking for it. */
type Proof = { token: string } | { signInId: string; code: string };

/**
 * Signs in: uses up what was mailed, and opens a session; null where that is unknown, wrong, used or over. All of it or
 * nothing, with the account held: what a change of its address ends does not go on as a session. Every try of a code
 * counts, right or wrong, before it is looked at.
 */
export async function signIn(
  db: Database,
  proof: Proof,
  options: { secret: string; now: Date; from: SignedInFrom },
): Promise<{ user_id: string; session_id: string; secret: string } | null> {
  const { secret, now, from } = options;
  const found = 'token' in proof ? await findToken(db, proof.token, now) : await tryCode(db, proof, secret, now);
  if (!found) return null;
  const { user_id, sign_in_id } = found;
  return joinOrBeginTransaction(db, async (trx) => {
    if (!(await holdAccount(trx, user_id))) return null;
    const used = await trx
      .deleteFrom('sign_ins')
      .where('sign_in_id', '=', sign_in_id)
      .where('expires_at', '>', now)
      .returning('sign_in_id')
      .executeTakeFirst();
    return used ? { user_id, ...(await openSession(trx, user_id, now, from)) } : null;
  });
}

/**
 * Confirms another address of an account by the token of the mail to it, and signs in: the account has the address from then on, and all that
 * gave access before ends. Null if the token is wrong, used or over, or the change was withdrawn; 409 where another account has the address.
 */
export async function confirmEmail(
  db: Database,
  token: string,
  { secret, now, from }: { secret: string; now: Date; from: SignedInFrom },
): Promise<{ user_id: string; session_id: string; secret: string } | null> {
  const emailChangeId = idOfMailedToken(secret, 'email', token);
  const userId = emailChangeId && (await accountOfEmailChange(db, emailChangeId));
  if (!userId) return null;
  return joinOrBeginTransaction(db, async (trx) => {
    if (!(await holdAccount(trx, userId)) || !(await takeEmailChange(trx, emailChangeId))) return null;
    return { user_id: userId, ...(await openSession(trx, userId, now, from, 'email')) };
  });
}

/** Holds an account against others who sign in, change or erase it; false where it is gone. */
async function holdAccount(trx: Database, userId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('users')
    .select('user_id')
    .where('user_id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row !== undefined;
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

/** The account of a sign-in that somebody failed to use; null where there is none. */
export async function accountOfSignIn(db: Database, signInId: string): Promise<string | null> {
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

/** Where a link leads. The token stands behind the #, which browsers send to no server, so that it is in no log. */
export const signInLink = (publicUrl: string, token: string): string => `${publicUrl}/dashboard/sign-in#${token}`;

/** The same of a link that confirms another address of an account. */
export const confirmEmailLink = (publicUrl: string, secret: string, emailChangeId: string): string =>
  `${publicUrl}/dashboard/email#${mailedToken(secret, 'email', emailChangeId)}`;

/** Who asks for a mail to sign in with. */
export interface Asker {
  /** Of the browser's cookie. */
  browserId: string;
  /** Whether that browser has signed in to the account before. */
  isKnown: boolean;
  /** Where it is: an IPv4 address, an IPv6 /64. */
  network: string;
}

/** Mails of an account that were asked for before, and were not used. */
export interface AskedBefore {
  /** By this browser, in the last 15 minutes, and within a day. */
  byBrowser: number;
  byBrowserToday: number;
  /** By strangers, browsers that never signed in to it: anywhere in the last 15 minutes; in this network; here within a day. */
  byStrangers: number;
  byStrangersHere: number;
  byStrangersHereToday: number;
}

/** Of one browser that is known. */
const MAX_PER_BROWSER = 5;
/** Of strangers in one network; a person with a new browser is one, and may share the network with another. */
const MAX_STRANGERS_PER_NETWORK = 10;
/** Of either within a day. */
const MAX_PER_DAY = 40;
/** Of strangers everywhere. It also bounds how many codes can be tried: five of each mail. */
const MAX_STRANGERS = 20;

/**
 * Whether an account is mailed once more. Strangers use up nothing of a browser that has signed in before, nor those of one
 * network what another has. Where strangers everywhere have had their share, the mailbox has links that are good, whoever
 * asked for them: a link signs in the browser that follows it. Pure.
 */
export function mayAsk({ isKnown }: Asker, before: AskedBefore): boolean {
  if (isKnown) return before.byBrowser < MAX_PER_BROWSER && before.byBrowserToday < MAX_PER_DAY;
  return (
    before.byStrangersHere < MAX_STRANGERS_PER_NETWORK &&
    before.byStrangersHereToday < MAX_PER_DAY &&
    before.byStrangers < MAX_STRANGERS
  );
}
