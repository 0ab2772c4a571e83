import { AppError } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { recordAuditedAction } from '#src/users/audit.ts';
import { createUser, updateUser } from '#src/users/store.ts';
import { openSession, type SignInOrigin } from '../sessions.ts';
import { findAccountOfEmail, lockAccount } from '../sign-ins.ts';
import type { IdentifiedPerson } from './person.ts';

/**
 * Reason why a person cannot sign in. `unverified`: the person has no verified address; `unknown`: no account has this address;
 * `taken`: the account is linked to another person.
 */
type NoAccountReason = 'unverified' | 'unknown' | 'taken';

interface Options {
  now: Date;
  from: SignInOrigin;
  /** Whether an account is created for a person who has no account. */
  createsAccounts: boolean;
}

interface Opened {
  user_id: string;
  email: string;
  session_id: string;
  secret: string;
}

/**
 * Signs in a person whom a provider has identified. The account is found by its link to the person or, at the first sign-in, by
 * the verified e-mail address. A new link or a changed role ends all earlier keys and sessions of the account.
 */
export async function signInIdentifiedPerson(
  db: Database,
  person: IdentifiedPerson,
  options: Options,
): Promise<Opened | NoAccountReason> {
  const once = () => joinOrBeginTransaction(db, (trx) => signInOnce(trx, person, options));
  // If a concurrent sign-in of the same person has created the account first, the second attempt finds that account.
  return once().catch((error) => {
    if (isTaken(error)) return once();
    throw error;
  });
}

const isTaken = (error: unknown): boolean =>
  (error as { code?: string }).code === '23505' || (error instanceof AppError && error.is === 'emailInUse');

async function signInOnce(
  trx: Database,
  person: IdentifiedPerson,
  options: Options,
): Promise<Opened | NoAccountReason> {
  const { now, from } = options;
  const known = await linkedTo(trx, person);
  const userId = known ?? (await link(trx, person, options));
  if (userId === 'unverified' || userId === 'unknown' || userId === 'taken') return userId;
  const account = await lockAccount(trx, userId);
  if (!account) return 'unknown';
  const { issuer, subject, role } = person;
  await trx
    .updateTable('identities')
    .set({ used_at: now })
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .execute();
  if (role !== null && role !== account.role) {
    await updateUser(trx, ALL_ACCOUNTS, userId, { role });
    await note(trx, 'user.changed', userId, { members: ['role'], role, by: 'provider' });
  }
  return {
    user_id: userId,
    email: account.email,
    // Earlier keys and sessions of the account may belong to another person, so the first sign-in through a provider ends them.
    ...(await openSession(trx, userId, now, { ...from, by: 'provider' }, known === null ? 'link' : undefined)),
  };

  function note(db: Database, action: string, target: string, details: Record<string, unknown>) {
    return recordAuditedAction(db, { actor: null, address: from.address ?? 'unknown', action, target, details });
  }
}

/** Returns the account that is linked to a person of a provider; null if no account is linked to this person. */
async function linkedTo(trx: Database, { issuer, subject }: IdentifiedPerson): Promise<string | null> {
  const row = await trx
    .selectFrom('identities')
    .select('user_id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
  return row?.user_id ?? null;
}

/** Links a person to the account with the person's verified e-mail address, or to a new account. */
async function link(
  trx: Database,
  { issuer, subject, verifiedEmail, role }: IdentifiedPerson,
  { now, from, createsAccounts }: Options,
): Promise<string | NoAccountReason> {
  if (verifiedEmail === null) return 'unverified';
  const address = from.address ?? 'unknown';
  const known = await findAccountOfEmail(trx, verifiedEmail);
  if (!known && !createsAccounts) return 'unknown';
  const userId = known?.user_id ?? (await createUser(trx, { email: verifiedEmail, role: role ?? 'homeowner' })).user_id;
  const details = { by: 'provider' };
  if (!known) await recordAuditedAction(trx, { actor: null, address, action: 'user.created', target: userId, details });
  if (!(await lockAccount(trx, userId))) return 'unknown';
  // An e-mail address can be reassigned. The new holder must not get the account of the previous holder.
  const other = await trx
    .selectFrom('identities')
    .select('subject')
    .where('user_id', '=', userId)
    .where('issuer', '=', issuer)
    .executeTakeFirst();
  if (other && other.subject !== subject) return 'taken';
  await trx
    .insertInto('identities')
    .values({ issuer, subject, user_id: userId, linked_at: now, used_at: now })
    .execute();
  await recordAuditedAction(trx, { actor: null, address, action: 'identity.linked', target: userId, details });
  return userId;
}

/**
 * Removes the links between an account and persons of providers. The next sign-in finds the account by the verified e-mail
 * address. Returns the number of removed links.
 */
export async function unlinkProviders(db: Database, userId: string): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('identities').where('user_id', '=', userId).executeTakeFirst();
  return Number(numDeletedRows);
}
