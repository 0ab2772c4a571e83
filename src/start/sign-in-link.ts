import { createSignIn, findAccountOfEmail, getSignInLink } from '#src/auth/sign-ins.ts';
import type { Config } from '#src/config/load.ts';
import { DAY_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { runAsOperator } from '#src/users/audit.ts';
import { loadSecretKey } from './secret-key.ts';

/**
 * Creates a single-use sign-in link for an account, valid for a day, for the person at the machine's console. Null if the account does not
 * exist. Earlier unused links become invalid.
 */
export async function createConsoleSignInLink(db: Database, config: Config, email: string): Promise<string | null> {
  const account = await findAccountOfEmail(db, email);
  if (!account) return null;
  const secret = await loadSecretKey(config, db);
  const options = { userId: account.user_id, secret, now: new Date(), validMs: DAY_MS, alone: true };
  const signIn = await runAsOperator(
    db,
    'sign_in.printed',
    (trx) => createSignIn(trx, options),
    () => account.user_id,
  );
  return signIn && getSignInLink(config.publicUrl, signIn.token);
}
