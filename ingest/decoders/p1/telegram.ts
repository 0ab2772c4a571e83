/** 0x8005, its bits reversed. */
const POLYNOMIAL = 0xa001;

const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
  return crc;
});

/** CRC16 of P1 telegrams (reflected 0x8005, begins with 0, nothing inverted). */
const crc16 = (bytes: Uint8Array): number =>
  bytes.reduce((crc, byte) => (crc >>> 8) ^ (TABLE[(crc ^ byte) & 0xff] as number), 0);

/** A line: what it is about, and its groups in parentheses. */
const LINE = /^(\d{1,3}-\d{1,3}:\d{1,3}\.\d{1,3}\.\d{1,3})((?:\([^()]{0,2048}\))+)$/;
/** The value of a line that DSMR 3 breaks: `0-1:24.3.0(…)(m3)`, and `(00001.001)` below it. */
const REST = /^\(([^()]{0,64})\)$/;
/** Versions from 4 on end with a checksum; Belgian meters tell theirs elsewhere. */
const VERSIONS = ['1-3:0.2.8', '0-0:96.1.4'];
const FIRST_WITH_CHECKSUM = 4;

/** What a telegram's lines say. */
export interface Telegram {
  /** Maker and type: the first line without its `/`. */
  header: string;
  /** By OBIS code: the groups in parentheses, of the first line that has the code. */
  lines: ReadonlyMap<string, string[]>;
}

/** Reads a telegram, `/` to `!`, with its checksum where it has one; a text: why it cannot be used. */
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

/** The `!` that begins a line: in a text message of the grid operator it is only a character. */
function findEnd(text: string, start: number): number {
  const found = text.indexOf('\n!', start);
  return found < 0 ? -1 : found + 1;
}

/** Whether the checksum is that of the telegram, also where a program has made LF of the meter's CR LF. */
function matches(body: string, checksum: string): boolean {
  // Some meters print it without its leading zeros.
  if (!/^[0-9A-Fa-f]{1,4}$/.test(checksum)) return false;
  const told = Number.parseInt(checksum, 16);
  return [body, body.replace(/\r?\n/g, '\r\n')].some((one) => crc16(Buffer.from(one)) === told);
}
