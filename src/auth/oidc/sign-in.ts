import { AppError } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import { EVERYBODY } from '#src/database/reach.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { recordAct } from '#src/users/audit.ts';
import { createUser, updateUser } from '#src/users/store.ts';
import { openSession, type SignedInFrom } from '../sessions.ts';
import { accountOf } from '../sign-ins.ts';
import type { Person } from './person.ts';

/** Why a person does not get in: no address that the provider has checked, no account, or one that is another's at the provider. */
export type NoAccount = 'unverified' | 'unknown' | 'taken';

interface Options {
  now: Date;
  from: SignedInFrom;
  /** Whether a person without an account gets one. */
  createsAccounts: boolean;
}

interface Opened {
  user_id: string;
  email: string;
  session_id: string;
  secret: string;
}

/**
 * Signs in whom a provider names: by who it is there, the first time by a verified e-mail address. The role of the mapping is the account's
 * from then on. A first link and another role end all keys and sessions that the account had, in the same transaction.
 */
export async function signInAs(db: Database, person: Person, options: Options): Promise<Opened | NoAccount> {
  const once = () => joinOrBeginTransaction(db, (trx) => signInOnce(trx, person, options));
  // Another browser of the same person may be at it: the second try finds what the first one lost to.
  return once().catch((error) => {
    if (isTaken(error)) return once();
    throw error;
  });
}

const isTaken = (error: unknown): boolean =>
  (error as { code?: string }).code === '23505' || (error instanceof AppError && error.is === 'emailInUse');

async function signInOnce(trx: Database, person: Person, options: Options): Promise<Opened | NoAccount> {
  const { now, from } = options;
  const known = await linkedTo(trx, person);
  const userId = known ?? (await link(trx, person, options));
  if (userId === 'unverified' || userId === 'unknown' || userId === 'taken') return userId;
  const account = await hold(trx, userId);
  if (!account) return 'unknown';
  const { issuer, subject, role } = person;
  await trx
    .updateTable('identities')
    .set({ used_at: now })
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .execute();
  if (role !== null && role !== account.role) {
    await updateUser(trx, EVERYBODY, userId, { role });
    await note(trx, 'user.changed', userId, { members: ['role'], role, by: 'provider' });
  }
  return {
    user_id: userId,
    email: account.email,
    // The first sign-in by a provider believes an address: what gave access before may be somebody else's.
    ...(await openSession(trx, userId, now, { ...from, by: 'provider' }, known === null ? 'link' : undefined)),
  };

  function note(db: Database, action: string, target: string, details: Record<string, unknown>) {
    return recordAct(db, { actor: null, address: from.address ?? 'unknown', action, target, details });
  }
}

/** The account that signed in as this person before. */
async function linkedTo(trx: Database, { issuer, subject }: Person): Promise<string | null> {
  const row = await trx
    .selectFrom('identities')
    .select('user_id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
  return row?.user_id ?? null;
}

/** The account of the person's verified address, or a new one; from now on it is theirs by who they are. */
async function link(
  trx: Database,
  { issuer, subject, verifiedEmail, role }: Person,
  { now, from, createsAccounts }: Options,
): Promise<string | NoAccount> {
  if (verifiedEmail === null) return 'unverified';
  const address = from.address ?? 'unknown';
  const known = await accountOf(trx, verifiedEmail);
  if (!known && !createsAccounts) return 'unknown';
  const userId = known?.user_id ?? (await createUser(trx, { email: verifiedEmail, role: role ?? 'homeowner' })).user_id;
  const details = { by: 'provider' };
  if (!known) await recordAct(trx, { actor: null, address, action: 'user.created', target: userId, details });
  if (!(await hold(trx, userId))) return 'unknown';
  // An address may be given to another person; the account that one had signed in to is not.
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
  await recordAct(trx, { actor: null, address, action: 'identity.linked', target: userId, details });
  return userId;
}

/** Holds an account against others who sign in, change or erase it; null where it is gone. */
async function hold(trx: Database, userId: string) {
  return trx
    .selectFrom('users')
    .select(['email', 'role'])
    .where('user_id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Forgets who an account is to providers; the next sign-in by one goes by the verified address again. Returns how many there were. */
export async function unlink(db: Database, userId: string): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('identities').where('user_id', '=', userId).executeTakeFirst();
  return Number(numDeletedRows);
}
