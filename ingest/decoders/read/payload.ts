import { replaceUnstorableEscapes } from '#src/core/storable-text.ts';

/** Maximum length of a payload that is decoded, in bytes. */
export const MAX_DECODED_PAYLOAD_BYTES = 1_048_576;
const utf8 = new TextDecoder('utf-8', { fatal: true });
/** Matches `nan` and `inf` as JSON values (outside strings). Firmware prints them, but JSON does not allow them. */
const NOT_A_NUMBER = /("(?:[^"\\]|\\.)*")|(?<=[:,[]\s*)-?(?:nan|inf(?:inity)?)\b/gi;

/** A parsed JSON object. Read its members with `getMember` or `Object.hasOwn`, because plain access would also return inherited members. */
export type Json = Record<string, unknown>;

/**
 * Cache of the last payload, with its text and JSON. All families examine the same message one after another, so the payload is decoded and
 * parsed only once. All families may use the same object, because no code modifies a payload or its parsed JSON.
 */
const latest: { payload: Buffer | null; text: string | null; json: unknown } = {
  payload: null,
  text: null,
  json: null,
};
/** Marks a cached payload that has not been parsed as JSON yet. */
const UNASKED = Symbol('unasked');

/** Returns the payload as text without a byte-order mark; null if it is not UTF-8 or too long. */
export function readText(payload: Buffer): string | null {
  if (latest.payload !== payload) {
    latest.text = decodeText(payload);
    latest.json = UNASKED;
    latest.payload = payload;
  }
  return latest.text;
}

function decodeText(payload: Buffer): string | null {
  if (payload.length > MAX_DECODED_PAYLOAD_BYTES) return null;
  try {
    return utf8.decode(payload);
  } catch {
    return null;
  }
}

/**
 * Returns the payload as JSON; undefined if the payload is not JSON. NaN and Infinity become null. NUL and lone surrogates become U+FFFD,
 * so that PostgreSQL can store each text.
 */
export function readJson(payload: Buffer): unknown {
  const text = readText(payload);
  if (latest.json === UNASKED) latest.json = text === null ? undefined : parseText(replaceUnstorableEscapes(text));
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
 * Whether the payload begins like a JSON object and contains all the given words. A family calls this quick check first, because most
 * payloads belong to other families and need not be parsed. If the payload is not valid text, the words are searched in its bytes, so that
 * the family can refuse the message.
 */
export function hasJsonObjectWithWords(payload: Buffer, ...words: readonly string[]): boolean {
  const [first = 0] = payload;
  if (first !== OPENING_BRACE && !BEFORE_IT.has(first)) return false;
  const text = readText(payload);
  if (text === null) return words.every((word) => payload.includes(word));
  return (first === OPENING_BRACE || text.trimStart().startsWith('{')) && words.every((word) => text.includes(word));
}
const OPENING_BRACE = 0x7b;
/** Bytes that may precede a JSON object: white space, and the first byte of a byte-order mark. */
const BEFORE_IT: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef]);

function parseLeniently(text: string): unknown {
  if (!/nan|inf/i.test(text)) return undefined;
  try {
    return JSON.parse(text.replace(NOT_A_NUMBER, (all, quoted) => (quoted ? all : 'null')));
  } catch {
    return undefined;
  }
}

/** Returns the payload as a JSON object; null if it is none. */
export const parseJsonObject = (payload: Buffer): Json | null => asObjectOrNull(readJson(payload));

/** Matches a name with its value, possibly followed by a blank and a unit: `e1=4567 kWh`. */
const PAIR = /^\s*([A-Za-z_][\w.-]{0,63})\s*=\s*([^\s=]*(?: [^\s=]{1,5})?)\s*$/;
const MAX_PAIRS = 500;

/**
 * Parses a text of names and values, separated by commas, semicolons, `&`, blanks or line breaks (`tot_i=8848,tot_o=7097`). Returns an
 * object with the values as texts; undefined if a part of the text has another form.
 */
export function parseNameValuePairs(payload: Buffer): Json | undefined {
  const text = readText(payload);
  if (text === null || !text.includes('=')) return undefined;
  // If the text contains `&`, blanks do not separate pairs: `t1=25.00 C&e1=4567 kWh`.
  const pieces = text.split(text.includes('&') ? '&' : /[,;\s]+/, MAX_PAIRS + 1).filter((piece) => piece.trim() !== '');
  const pairs = pieces.map((piece) => PAIR.exec(piece));
  if (pieces.length > MAX_PAIRS || !pairs.every((pair) => pair !== null)) return undefined;
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value]));
}

/** Matches a name, a colon, a number and possibly a unit: `P: 61.35`, `import: 512.5 kWh`. */
const COLON_PAIR =
  /\s*([A-Za-z_][\w.-]{0,63}):[ \t]+([+-]?\d{1,12}(?:[.,]\d{1,9})?(?: ?[^\s\d:,;]{1,5}(?![^\s,;]))?)(?:[,;\s]|$)/y;

/**
 * Parses a text of at least two names with numbers, separated by colons (`E: 48213.6 P: 61.35 I: 302`). Returns an object with the values as
 * texts; undefined if a part of the text has another form.
 */
function parseColonPairs(payload: Buffer): Json | undefined {
  const text = readText(payload)?.trim();
  if (!text?.includes(': ')) return undefined;
  const pairs: [string, string][] = [];
  let end = 0;
  while (end < text.length) {
    COLON_PAIR.lastIndex = end;
    const [, name, value] = COLON_PAIR.exec(text) ?? [];
    if (name === undefined || value === undefined || pairs.push([name, value]) > MAX_PAIRS) return undefined;
    end = COLON_PAIR.lastIndex;
  }
  return pairs.length > 1 ? Object.fromEntries(pairs) : undefined;
}

/** Matches a point in InfluxDB's line protocol: measurement, tags, fields and possibly a time in nanoseconds. */
const POINT =
  /^([^\s,=]{1,64})((?:,[^\s,="]{1,64}=[^\s,="]{1,64}){0,16}) ([^\s=,]{1,64}=\S{1,8000})(?: (\d{16,19}))?\s*$/;
/** Matches a field of a point: a quoted text or a number, possibly followed by the letter that marks an integer. */
const FIELD = /^([^\s=,"]{1,64})=(?:(-?[\d.]+(?:e[+-]?\d+)?)[iu]?|"([^"]{0,64})")$/i;

/**
 * Parses one point of InfluxDB's line protocol (`energy,host=m1 import_kwh=7.5,power_w=412i`) into an object. The tags of the point
 * distinguish devices. If its only fields are `value` and `unit`, the value is named by the measurement and the tags. Returns undefined for
 * every other text.
 */
function parseLineProtocol(payload: Buffer): Json | undefined {
  const text = readText(payload);
  const [, measurement = '', tags = '', fields = '', time] = text?.includes('=') ? (POINT.exec(text) ?? []) : [];
  if (fields === '') return undefined;
  const found = fields.split(',', MAX_PAIRS + 1).map((field) => FIELD.exec(field));
  if (found.length > MAX_PAIRS || !found.every((field) => field !== null)) return undefined;
  const members = found.map(([, name = '', number, quoted = '']) => [name, number ?? quoted] as const);
  const values = [...tags.matchAll(/=([^,]+)/g)].map(([, value = '']) => value).join(' ');
  const body = Object.fromEntries(members);
  const isUnnamed = Object.keys(body).every((name) => name === 'value' || name === 'unit');
  return {
    ...(isUnnamed ? { [`${measurement} ${values}`.trim()]: body } : body),
    ...(values !== '' && !isUnnamed && { device_name: values }),
    ...(time !== undefined && { time: Number(time.slice(0, 13)) }),
  };
}

/** Matches an XML tag without attributes. Captures the slash of an end tag, and the name. */
const TAG = /^<(\/?)([A-Za-z_][\w.-]{0,63})>$/;
const MAX_XML_CHARACTERS = 8_192;
const MAX_XML_DEPTH = 6;

/**
 * Parses XML without attributes and entities (`<msg><sensor>1</sensor><ch1><watts>00345</watts></ch1></msg>`, Current Cost) into an object
 * with the texts by their paths (`ch1/watts`), without the outermost name. A sensor distinguishes devices. Returns undefined for every
 * other text, and for a path that occurs twice.
 */
function parseXmlTexts(payload: Buffer): Json | undefined {
  const text = readText(payload)
    ?.replace(/^\s*<\?xml [^<>]*\?>/, '')
    .trim();
  if (!text?.startsWith('<') || text.length > MAX_XML_CHARACTERS || text.includes('&')) return undefined;
  const open: string[] = [];
  const found = new Map<string, string>();
  let value = '';
  for (const piece of text.split(/(<[^<>]*>)/)) {
    const [tag, slash, name = ''] = TAG.exec(piece) ?? [];
    if (tag === undefined && piece.startsWith('<')) return undefined;
    if (slash === '' && open.push(name) > MAX_XML_DEPTH) return undefined;
    if (slash === '/') {
      const path = open.slice(1).join('/') || name;
      if (open.pop() !== name || found.has(path)) return undefined;
      if (value !== '') found.set(path, value);
    }
    value = tag === undefined ? piece.trim() : '';
  }
  const sensor = found.get('sensor');
  if (open.length > 0 || found.size === 0) return undefined;
  return { ...Object.fromEntries(found), ...(sensor !== undefined && { device_name: `sensor ${sensor}` }) };
}

/**
 * Parses a text of names and values (with `=` or colons), a point of InfluxDB's line protocol, or simple XML into an object; returns undefined for every other
 * text.
 */
export const parseNamedTexts = (payload: Buffer): Json | undefined =>
  parseNameValuePairs(payload) ?? parseColonPairs(payload) ?? parseLineProtocol(payload) ?? parseXmlTexts(payload);

/** Returns a JSON value as an object; null if it is none. */
export const asObjectOrNull = (value: unknown): Json | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;

/** Returns a member that the object itself has; undefined for inherited members such as `__proto__` and `constructor`. */
export const getMember = (object: Json | null, name: string): unknown =>
  object !== null && Object.hasOwn(object, name) ? object[name] : undefined;
