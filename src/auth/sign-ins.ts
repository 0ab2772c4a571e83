import { createHash, createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { newId } from '#src/core/ids.ts';
import type { Database } from '#src/database/connect.ts';
import { together } from '#src/database/transaction.ts';

/** How long a link and a code of a mail are good for. */
export const MAILED_FOR_MS = 15 * 60_000;
/** Few digits are soon guessed: a sign-in takes so many tries of its code. */
const MOST_TRIES = 5;
const CODE_DIGITS = 8;
/** Sign-ins of an account that may wait at once: nobody can fill its mailbox, or try codes without end. */
const MOST_WAITING = 5;

/** A way to sign in once: by the token (in a link), or by the code together with the id. */
export interface SignIn {
  sign_in_id: string;
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
 * Makes a sign-in of an account. `signInId`: one that was told before it was known whether there is such an account. Null
 * where the account has enough of them waiting; `alone`: those that wait are over then. `secret`: the installation's.
 */
export async function createSignIn(
  db: Database,
  options: { userId: string; secret: string; now: Date; validMs: number; signInId?: string; alone?: boolean },
): Promise<SignIn | null> {
  const { userId, secret, now, validMs, signInId = newId('sgn'), alone = false } = options;
  const token = randomBytes(32).toString('base64url');
  const code = String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0');
  return together(db, async (trx) => {
    // One at a time for an account, so that the count holds.
    await trx.selectFrom('users').select('user_id').where('user_id', '=', userId).forUpdate().execute();
    if (alone) await trx.deleteFrom('sign_ins').where('user_id', '=', userId).execute();
    const { waiting } = await trx
      .selectFrom('sign_ins')
      .select((select) => select.fn.countAll<number>().as('waiting'))
      .where('user_id', '=', userId)
      .where('expires_at', '>', now)
      .executeTakeFirstOrThrow();
    if (waiting >= MOST_WAITING) return null;
    await trx
      .insertInto('sign_ins')
      .values({
        sign_in_id: signInId,
        user_id: userId,
        token_sha256: sha256(token),
        code_mac: macOf(secret, signInId, code),
        created_at: now,
        expires_at: new Date(now.getTime() + validMs),
      })
      .execute();
    return { sign_in_id: signInId, token, code };
  });
}

/** Uses up the sign-in of a link; null where it is unknown, used or over. Returns whose it was. */
export async function useToken(db: Database, token: string, now: Date): Promise<string | null> {
  const row = await db
    .deleteFrom('sign_ins')
    .where('token_sha256', '=', sha256(token))
    .where('expires_at', '>', now)
    .returning('user_id')
    .executeTakeFirst();
  return row?.user_id ?? null;
}

/** The same by its id and code. Every try counts, right or wrong, before the code is looked at. */
export async function useCode(
  db: Database,
  { signInId, code, secret }: { signInId: string; code: string; secret: string },
  now: Date,
): Promise<string | null> {
  const known = await db
    .updateTable('sign_ins')
    .set((set) => ({ tried_codes: set('tried_codes', '+', 1) }))
    .where('sign_in_id', '=', signInId)
    .where('expires_at', '>', now)
    .where('tried_codes', '<', MOST_TRIES)
    .returning('code_mac')
    .executeTakeFirst();
  if (!known || !timingSafeEqual(known.code_mac, macOf(secret, signInId, code))) return null;
  const row = await db
    .deleteFrom('sign_ins')
    .where('sign_in_id', '=', signInId)
    .returning('user_id')
    .executeTakeFirst();
  return row?.user_id ?? null;
}

/** Where a link leads. The token stands behind the #, which browsers send to no server, so that it is in no log. */
export const signInLink = (publicUrl: string, token: string): string => `${publicUrl}/dashboard/sign-in#${token}`;
