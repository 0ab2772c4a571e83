import { accountOf, createSignIn, signInLink } from '#src/auth/sign-ins.ts';
import type { Config } from '#src/config/load.ts';
import { DAY_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { runAsOperator } from '#src/users/audit.ts';
import { secretKey } from './secret-key.ts';

/**
 * A link that signs in to the dashboard as an account, once, within a day: for who stands at the machine. Null where there
 * is no such account. Links and codes of it that wait to be used are over.
 */
export async function printedLink(db: Database, config: Config, email: string): Promise<string | null> {
  const account = await accountOf(db, email);
  if (!account) return null;
  const secret = await secretKey(config, db);
  const options = { userId: account.user_id, secret, now: new Date(), validMs: DAY_MS, alone: true };
  const signIn = await runAsOperator(
    db,
    'sign_in.printed',
    (trx) => createSignIn(trx, options),
    () => account.user_id,
  );
  return signIn && signInLink(config.publicUrl, signIn.token);
}
