/** Longest payload that is read, in bytes. */
export const MAX_BYTES = 1_048_576;
const utf8 = new TextDecoder('utf-8', { fatal: true });
/** `: nan`, `: -inf` outside a string: firmware prints them, JSON has no such words. */
const NOT_A_NUMBER = /("(?:[^"\\]|\\.)*")|(?<=[:,[]\s*)-?(?:nan|inf(?:inity)?)\b/gi;

/** An object out of JSON; own members only count (`Object.hasOwn`). */
export type Json = Record<string, unknown>;

/**
 * The payload that was read last, and what came of it: families are asked about a message one after the other, and it is decoded and parsed
 * once for all of them. A payload is not written to after it was received, and nobody writes to an object that was read.
 */
const latest: { payload: Buffer | null; text: string | null; json: unknown } = {
  payload: null,
  text: null,
  json: null,
};
/** Its JSON was not asked for yet. */
const UNASKED = Symbol('unasked');

/** The payload as text without a byte-order mark; null where it is not UTF-8, or too long. */
export function readText(payload: Buffer): string | null {
  if (latest.payload !== payload) {
    latest.text = decodeText(payload);
    latest.json = UNASKED;
    latest.payload = payload;
  }
  return latest.text;
}

function decodeText(payload: Buffer): string | null {
  if (payload.length > MAX_BYTES) return null;
  try {
    return utf8.decode(payload);
  } catch {
    return null;
  }
}

/** The payload as JSON, NaN and Infinity taken for null; undefined where it is not JSON. */
export function readJson(payload: Buffer): unknown {
  const text = readText(payload);
  if (latest.json === UNASKED) latest.json = text === null ? undefined : parseText(text);
  return latest.json;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return parseLeniently(text);
  }
}

/**
 * Whether the payload begins like a JSON object, and these stand somewhere in it: to look at bodies of others without parsing them. Of one
 * that is no text its bytes are looked at, so that whose it is can refuse it.
 */
export function mentions(payload: Buffer, ...words: readonly string[]): boolean {
  const [first = 0] = payload;
  if (first !== OPENING_BRACE && !BEFORE_IT.has(first)) return false;
  const text = readText(payload);
  if (text === null) return words.every((word) => payload.includes(word));
  return (first === OPENING_BRACE || text.trimStart().startsWith('{')) && words.every((word) => text.includes(word));
}
const OPENING_BRACE = 0x7b;
/** White space of JSON, and the beginning of a byte-order mark. */
const BEFORE_IT: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef]);

function parseLeniently(text: string): unknown {
  if (!/nan|inf/i.test(text)) return undefined;
  try {
    return JSON.parse(text.replace(NOT_A_NUMBER, (all, quoted) => (quoted ? all : 'null')));
  } catch {
    return undefined;
  }
}

/** The payload as a JSON object; null where it is none. */
export const readObject = (payload: Buffer): Json | null => asObject(readJson(payload));

/** A JSON value as an object; null where it is none. */
export const asObject = (value: unknown): Json | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;

/** An own member, which `__proto__` and `constructor` are not by themselves. */
export const member = (object: Json | null, name: string): unknown =>
  object !== null && Object.hasOwn(object, name) ? object[name] : undefined;
