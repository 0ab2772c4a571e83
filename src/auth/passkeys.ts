import { randomBytes } from 'node:crypto';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { sql } from 'kysely';
import { createUnprocessableError } from '#src/core/errors.ts';
import { createId } from '#src/core/ids.ts';
import { getAdvisoryLockId } from '#src/database/advisory-locks.ts';
import type { Database } from '#src/database/connect.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { openSession, type SignInOrigin } from './sessions.ts';
import { lockAccount } from './sign-ins.ts';

/** Validity of a challenge in ms. A person needs time to confirm on the device. */
export const CHALLENGE_LIFETIME_MS = 5 * 60_000;
/**
 * Length of a challenge in bytes. It must be a multiple of three, so that challenges in base64url can be joined without padding.
 */
const CHALLENGE_BYTES = 33;
const CHALLENGE_CHARACTERS = (CHALLENGE_BYTES / 3) * 4;
const MAX_PASSKEYS = 20;
/** Signature algorithms (COSE identifiers): Ed25519, ECDSA with P-256, RSA. */
const ALGORITHMS = [-8, -7, -257];

/** The website at which a passkey is created and works. */
interface PasskeySite {
  /** Host of PUBLIC_URL. In WebAuthn, this is the relying party id. */
  host: string;
  origin: string;
}

export function getPasskeySite(publicUrl: string): PasskeySite {
  const { hostname, origin } = new URL(publicUrl);
  return { host: hostname, origin };
}

/** A passkey as shown to its owner. */
export interface Passkey {
  passkey_id: string;
  name: string;
  /** Host name of the website at which the passkey works. */
  host: string;
  created_at: Date;
  /** Time of the last sign-in with the passkey; null if it was never used. */
  last_used_at: Date | null;
}

const COLUMNS = ['passkey_id', 'name', 'host', 'created_at', 'last_used_at'] as const;

/** A challenge, which an authenticator must sign. */
interface Challenge {
  challenge_id: string;
  /** Random bytes in base64url. */
  challenge: string;
}

/** Creates a challenge that can be used once. `sessionId`: the session that adds a passkey; null for a sign-in. */
export async function createChallenge(db: Database, now: Date, sessionId: string | null): Promise<Challenge> {
  const made = { challenge_id: createId('sgn'), challenge: randomBytes(CHALLENGE_BYTES).toString('base64url') };
  const expires_at = new Date(now.getTime() + CHALLENGE_LIFETIME_MS);
  await db
    .insertInto('passkey_challenges')
    .values({ ...made, session_id: sessionId, expires_at })
    .onConflict((on) => on.column('session_id').doUpdateSet({ ...made, expires_at }))
    .execute();
  return made;
}

/** Consumes a challenge. Returns null if the challenge is unknown, was used, has expired, or was created for another session. */
async function takeChallenge(
  db: Database,
  challengeId: string,
  { sessionId, now }: { sessionId: string | null; now: Date },
): Promise<string | null> {
  const row = await db
    .deleteFrom('passkey_challenges')
    .where('challenge_id', '=', challengeId)
    .where('session_id', 'is not distinct from', sessionId)
    .where('expires_at', '>', now)
    .returning('challenge')
    .executeTakeFirst();
  return row?.challenge ?? null;
}

/** Returns the options with which a browser creates a passkey for an account (WebAuthn, PublicKeyCredentialCreationOptionsJSON). */
export async function getPasskeyCreationOptions(
  db: Database,
  userId: string,
  challenge: string,
  { host }: PasskeySite,
) {
  const { email } = await db
    .selectFrom('users')
    .select('email')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  const known = await db.selectFrom('passkeys').select('credential_id').where('user_id', '=', userId).execute();
  return {
    challenge,
    rp: { id: host, name: 'Energy' },
    user: { id: Buffer.from(userId).toString('base64url'), name: email, displayName: email },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key' as const, alg })),
    // For accounts that have a passkey on a device or in a password manager, the browser creates no second passkey there.
    excludeCredentials: known.map(({ credential_id }) => ({ type: 'public-key' as const, id: credential_id })),
    // The device must store the account's id with the passkey, because the sign-in page does not know the account.
    authenticatorSelection: {
      residentKey: 'required' as const,
      requireResidentKey: true,
      userVerification: 'required' as const,
    },
    attestation: 'none' as const,
    timeout: CHALLENGE_LIFETIME_MS,
  };
}

/**
 * Adds a passkey to an account, in the transaction that has locked the account and the session. Throws 422 if the challenge is
 * not valid, the browser's response does not match, or the account has too many passkeys.
 */
export async function addPasskey(
  trx: Database,
  added: {
    userId: string;
    sessionId: string;
    challengeId: string;
    name: string;
    response: RegistrationResponseJSON;
    site: PasskeySite;
    now: Date;
  },
): Promise<Passkey> {
  const { userId, name, response, site, now } = added;
  const challenge = await takeChallenge(trx, added.challengeId, added);
  if (challenge === null)
    throw createUnprocessableError({ field: 'challenge_id', message: 'has expired or was already used; try again' });
  const credential = await verifyCreation(response, challenge, site);
  if (!credential)
    throw createUnprocessableError({ field: 'credential', message: 'does not match the challenge; try again' });
  // Raw SQL: the advisory lock prevents concurrent additions from exceeding the maximum number of passkeys of an account.
  await sql`SELECT pg_advisory_xact_lock(${getAdvisoryLockId('passkeys of', userId)}::bigint)`.execute(trx);
  const { count } = await trx
    .selectFrom('passkeys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  if (count >= MAX_PASSKEYS)
    throw createUnprocessableError({
      field: 'credential',
      message: `is one too many: an account can have at most ${MAX_PASSKEYS}`,
    });
  const row = await trx
    .insertInto('passkeys')
    .values({
      passkey_id: createId('pky'),
      user_id: userId,
      credential_id: credential.id,
      public_key: Buffer.from(credential.publicKey),
      counter: credential.counter,
      host: site.host,
      name,
      created_at: now,
    })
    .onConflict((on) => on.column('credential_id').doNothing())
    .returning(COLUMNS)
    .executeTakeFirst();
  if (!row) throw createUnprocessableError({ field: 'credential', message: 'is in use already' });
  return row;
}

/** Returns the passkeys of an account, oldest first. */
export async function listPasskeys(db: Database, userId: string): Promise<Passkey[]> {
  return db.selectFrom('passkeys').select(COLUMNS).where('user_id', '=', userId).orderBy('passkey_id').execute();
}

/**
 * Removes a passkey of an account. Sessions opened with the passkey continue. Returns false if the account has no such passkey.
 */
export async function removePasskey(db: Database, userId: string, passkeyId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('passkeys')
    .where('passkey_id', '=', passkeyId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Removes passkeys by their ids, without checking the account. */
export async function removePasskeys(db: Database, passkeyIds: readonly string[]): Promise<void> {
  await db
    .deleteFrom('passkeys')
    .where('passkey_id', 'in', [...passkeyIds, ''])
    .execute();
}

/** Returns the account of a passkey with which a sign-in failed; null if there is no such passkey. */
export async function findAccountOfPasskey(db: Database, credentialId: string): Promise<string | null> {
  return (await findCredential(db, credentialId))?.user_id ?? null;
}

async function findCredential(db: Database, credentialId: string) {
  return db
    .selectFrom('passkeys')
    .select(['passkey_id', 'user_id', 'credential_id', 'public_key', 'counter'])
    .where('credential_id', '=', credentialId)
    .executeTakeFirst();
}

/**
 * Signs in by a passkey and opens a session. Null if the challenge is not valid, the response does not match, or the device did not verify
 * the person. Also null if the passkey's counter has not risen, because the passkey may then be a copy.
 */
export async function signInByPasskey(
  db: Database,
  { signInId, response }: { signInId: string; response: AuthenticationResponseJSON },
  { site, now, from }: { site: PasskeySite; now: Date; from: SignInOrigin },
): Promise<{ user_id: string; session_id: string; secret: string } | null> {
  // A failed attempt must also consume the challenge, so this runs outside the transaction below.
  const challenge = await takeChallenge(db, signInId, { sessionId: null, now });
  const known = await findCredential(db, response.id);
  if (challenge === null || !known) return null;
  const { user_id, passkey_id } = known;
  // The response contains the account's id, which the device stored with the passkey.
  if (Buffer.from(response.response.userHandle ?? '', 'base64url').toString() !== user_id) return null;
  const counter = await verifySignIn(response, challenge, { site, known });
  if (counter === null) return null;
  return joinOrBeginTransaction(db, async (trx) => {
    if (!(await lockAccount(trx, user_id))) return null;
    const { numUpdatedRows } = await trx
      .updateTable('passkeys')
      .set({ counter, last_used_at: now })
      .where('passkey_id', '=', passkey_id)
      // A concurrent sign-in may have raised the counter meanwhile. Devices without a counter always send 0.
      .where('counter', counter === 0 ? '<=' : '<', counter)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return null;
    return { user_id, ...(await openSession(trx, user_id, now, { ...from, by: 'passkey' })) };
  });
}

/**
 * Verifies the browser's response for a new passkey. Returns null if the response is invalid; the library throws a different error for each
 * fault.
 */
async function verifyCreation(response: RegistrationResponseJSON, challenge: string, { host, origin }: PasskeySite) {
  // The WebAuthn library is imported at the first use of a passkey, because it takes some MB of memory.
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { decodeAttestationObject, isoBase64URL } = await import('@simplewebauthn/server/helpers');
  try {
    // No attestation (a certificate of the device) is requested, because its verification would fetch URLs that the certificate
    // names.
    const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.response.attestationObject));
    const [format, statement] = [attestation.get('fmt'), attestation.get('attStmt')];
    if (format !== 'none' && (format !== 'packed' || statement.get('x5c') !== undefined)) return null;
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: host,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    return verified ? (registrationInfo?.credential ?? null) : null;
  } catch {
    return null;
  }
}

/** Verifies the response of a passkey at a sign-in. Returns the passkey's new counter; null if the response is invalid. */
async function verifySignIn(
  response: AuthenticationResponseJSON,
  challenge: string,
  { site, known }: { site: PasskeySite; known: { credential_id: string; public_key: Buffer; counter: number } },
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: (signed) => challengesIn(signed).includes(challenge),
      expectedOrigin: site.origin,
      expectedRPID: site.host,
      credential: { id: known.credential_id, publicKey: new Uint8Array(known.public_key), counter: known.counter },
      requireUserVerification: true,
    });
    return verified ? authenticationInfo.newCounter : null;
  } catch {
    return null;
  }
}

/**
 * Returns the challenges that were joined to the single challenge that a passkey signed. If there are several cells, the sign-in page does
 * not know the cell of the account, so it joins a challenge of each cell. Each cell then looks for its own challenge.
 */
function challengesIn(signed: string): string[] {
  const count = signed.length / CHALLENGE_CHARACTERS;
  if (!Number.isInteger(count)) return [];
  return Array.from({ length: count }, (_, at) =>
    signed.slice(at * CHALLENGE_CHARACTERS, (at + 1) * CHALLENGE_CHARACTERS),
  );
}
