import { callApi, postSignInToEachCell } from './api.ts';
import { words } from './words/words.ts';

/** Returns whether this browser can create and use passkeys. Browsers offer passkeys only on HTTPS pages. */
export const canUsePasskeys = (): boolean =>
  'PublicKeyCredential' in globalThis && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

/** A passkey that the browser has created, in the format of the service. */
interface CreatedPasskey {
  challenge_id: string;
  credential: unknown;
}

/** Creates a passkey for the signed-in account. Throws errors whose message is for the user. */
export async function createPasskey(): Promise<CreatedPasskey> {
  const { challenge_id, options } = await callApi<{
    challenge_id: string;
    options: PublicKeyCredentialCreationOptionsJSON;
  }>('POST', '/session/passkey', {});
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const made = await navigator.credentials.create({ publicKey }).catch(explain);
  return { challenge_id, credential: (made as PublicKeyCredential).toJSON() };
}

/**
 * Asks the person for a passkey, and returns one proof for each cell (installation behind a router), because the account's cell is unknown.
 * Throws errors whose message is for the user.
 */
export async function requestPasskeyProofs(): Promise<object[]> {
  const begun = await postSignInToEachCell<{ sign_in_id: string; options: PublicKeyCredentialRequestOptionsJSON }>(
    '/sign-in/passkey',
    {},
  );
  // The browser signs the challenges of all cells as one text. They can be joined, because each is the base64url text of a multiple of
  // three bytes.
  const challenge = begun.map(({ options }) => options.challenge).join('');
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON({ ...begun[0]?.options, challenge });
  const signed = await navigator.credentials.get({ publicKey }).catch(explain);
  const passkey = (signed as PublicKeyCredential).toJSON();
  return begun.map(({ sign_in_id }) => ({ sign_in_id, passkey }));
}

/** Throws an error with a message for the user, in place of the browser's technical error. */
function explain(error: Error): never {
  const { passkeys: w } = words().common;
  // The browser throws the same error for several causes: the person cancels, the time runs out, or the certificate is not trusted.
  if (error.name === 'NotAllowedError') throw new Error(w.cancelled);
  if (error.name === 'SecurityError') throw new Error(w.otherHost);
  if (error.name === 'InvalidStateError') throw new Error(w.known);
  throw error;
}
