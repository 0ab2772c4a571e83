/** Longest payload that is read, in bytes. */
export const MAX_BYTES = 1_048_576;
const utf8 = new TextDecoder('utf-8', { fatal: true });
/** `: nan`, `: -inf` outside a string: firmware prints them, JSON has no such words. */
const NOT_A_NUMBER = /("(?:[^"\\]|\\.)*")|(?<=[:,[]\s*)-?(?:nan|inf(?:inity)?)\b/gi;

/** An object out of JSON; own members only count (`Object.hasOwn`). */
export type Json = Record<string, unknown>;

/** The payload as text without a byte-order mark; null where it is not UTF-8, or too long. */
export function readText(payload: Buffer): string | null {
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
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return parseLeniently(text);
  }
}

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
