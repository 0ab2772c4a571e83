import type { EnergyEvent } from './client.ts';

/** Thrown for a message that was not signed with the secret, or not recently. Respond with 400 and ignore the message. */
export class SignatureError extends Error {
  override name = 'SignatureError';
}

type HeadersLike = { get(name: string): string | null } | Record<string, string | string[] | undefined>;

/**
 * Verifies the signature of a webhook (Standard Webhooks) and returns the event in its body. The webhook must have been signed with one of
 * the secrets, at most `toleranceSeconds` ago. `body`: the raw body, before any parsing. Throws a SignatureError.
 */
export async function verifyWebhook(
  body: string,
  headers: HeadersLike,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = new Date() }: { toleranceSeconds?: number; now?: Date } = {},
): Promise<EnergyEvent> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  );
  if (!id || !timestamp || !signatures) throw new SignatureError('A header of the signature is missing');
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now.getTime() / 1_000 - Number(timestamp)) > toleranceSeconds)
    throw new SignatureError('The signature is too old, or from the future');
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const one of [secret].flat()) {
    const key = await crypto.subtle.importKey('raw', keyOf(one), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    for (const signature of signatures.split(' ')) {
      const bytes = signature.startsWith('v1,') ? fromBase64(signature.slice(3)) : null;
      // The platform compares in constant time.
      if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, signed))) return JSON.parse(body) as EnergyEvent;
    }
  }
  throw new SignatureError('The signature does not match');
}

function headerOf(headers: HeadersLike, name: string): string | undefined {
  if (typeof headers.get === 'function') return (headers as Headers).get(name) ?? undefined;
  const found = Object.entries(headers).find(([one]) => one.toLowerCase() === name)?.[1];
  return Array.isArray(found) ? found[0] : found;
}

/** Returns the key of a secret: the decoded base64 after `whsec_`, otherwise the secret's UTF-8 bytes. */
function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const decoded = secret.startsWith('whsec_') ? fromBase64(secret.slice('whsec_'.length)) : null;
  return decoded ?? new TextEncoder().encode(secret);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
