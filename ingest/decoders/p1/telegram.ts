/** Polynomial of the checksum of telegrams (CRC16): 0x8005 with its bits reversed. */
const POLYNOMIAL = 0xa001;

const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
  return crc;
});

/** Computes the CRC16 of P1 telegrams (polynomial 0x8005, reflected; initial value 0; no final inversion). */
const crc16 = (bytes: Uint8Array): number =>
  bytes.reduce((crc, byte) => (crc >>> 8) ^ (TABLE[(crc ^ byte) & 0xff] as number), 0);

/** Matches a line of a telegram: an OBIS code, followed by groups in parentheses. */
const LINE = /^(\d{1,3}-\d{1,3}:\d{1,3}\.\d{1,3}\.\d{1,3})((?:\([^()]{0,2048}\))+)$/;
/** Matches the second half of a line that DSMR 3 splits in two: the line after `0-1:24.3.0(…)(m3)` is `(00001.001)`. */
const REST = /^\(([^()]{0,64})\)$/;
/** OBIS codes of the telegram's version; Belgian meters use the second code. From version 4 on, telegrams end with a checksum. */
const VERSIONS = ['1-3:0.2.8', '0-0:96.1.4'];
const FIRST_WITH_CHECKSUM = 4;

/** Parsed lines of a telegram. */
export interface Telegram {
  /** Manufacturer and type of the meter: the first line of the telegram without its `/`. */
  header: string;
  /** Groups in parentheses, by OBIS code. If several lines have the same code, only the groups of the first of these lines are stored. */
  lines: ReadonlyMap<string, string[]>;
}

/** Parses a telegram from `/` to `!` and verifies the checksum, if there is one. Returns an error text if the telegram is unusable. */
export function parseTelegram(text: string): Telegram | string {
  const start = text.indexOf('/');
  const end = start < 0 ? -1 : findEnd(text, start);
  if (end < 0) return 'telegram is not complete';
  const body = text.slice(start, end + 1);
  const [first = '', ...rest] = body.split(/\r?\n/);
  const lines = new Map<string, string[]>();
  let before: string[] = [];
  for (const line of rest) {
    const trimmed = line.trim();
    const [, code, groups] = LINE.exec(trimmed) ?? [];
    if (code && groups) {
      before = groups.slice(1, -1).split(')(');
      if (!lines.has(code)) lines.set(code, before);
    } else {
      const value = REST.exec(trimmed)?.[1];
      if (value === undefined) before = [];
      else before.push(value);
    }
  }
  const checksum = /^[ \t]*([0-9A-Za-z]*)/.exec(text.slice(end + 1, end + 20))?.[1] ?? '';
  const version = Number(VERSIONS.map((code) => lines.get(code)?.[0]).find((one) => one !== undefined)?.[0] ?? 0);
  if (checksum === '' && version >= FIRST_WITH_CHECKSUM) return 'telegram has no checksum';
  if (checksum !== '' && !matches(body, checksum)) return 'telegram has a wrong checksum';
  return { header: first.slice(1).trim(), lines };
}

/**
 * Returns the position of the `!` that ends the telegram. It is the first character of its line: elsewhere, such as in a text message of
 * the grid operator, `!` is an ordinary character.
 */
function findEnd(text: string, start: number): number {
  const found = text.indexOf('\n!', start);
  return found < 0 ? -1 : found + 1;
}

/**
 * Whether the checksum matches the telegram. Also accepts a telegram in which a program has replaced CR LF by LF after the meter computed
 * the checksum.
 */
function matches(body: string, checksum: string): boolean {
  // Some meters print the checksum without leading zeros.
  if (!/^[0-9A-Fa-f]{1,4}$/.test(checksum)) return false;
  const expected = Number.parseInt(checksum, 16);
  return [body, body.replace(/\r?\n/g, '\r\n')].some((one) => crc16(Buffer.from(one)) === expected);
}
