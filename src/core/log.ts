import { styleText } from 'node:util';
import { type Logger, pino } from 'pino';
import { forTerminal } from './output.ts';

export type { Logger } from 'pino';

/** Of a record that pino wrote: what every one has, and the values of this one. */
interface LogRecord {
  level: number;
  time: number;
  name: string;
  msg?: string;
  url?: string;
  err?: { message: string; stack?: string };
  [value: string]: unknown;
}

/** pino's numbers of levels. */
const WARN = 40;
const ERROR = 50;

/** Members that a line on a terminal shows in a way of their own, or not at all. */
const NO_VALUES: ReadonlySet<string> = new Set(['level', 'time', 'pid', 'hostname', 'name', 'msg', 'err', 'url']);

/**
 * Structured log of a process on standard error, so that standard output stays for results. Secrets are cut out. `format` `text`: a
 * short line for a person; unset: on a terminal, with JSON elsewhere.
 */
export function createLog(
  name: string,
  { level = 'info', format }: { level?: string; format?: 'json' | 'text' | undefined } = {},
): Logger {
  const output = pino.destination({ fd: 2, sync: true });
  // A disk that is full, or a reader that is gone, must not end what the log tells of.
  output.on('error', () => {});
  const isText = (format ?? (process.stderr.isTTY ? 'text' : 'json')) === 'text';
  const write = (line: string) => output.write(`${textLine(JSON.parse(line))}\n`);
  return pino(
    {
      name,
      level,
      redact: ['authorization', 'password', 'secret', 'key', '*.authorization', '*.password', '*.secret'],
    },
    isText ? { write } : output,
  );
}

/**
 * A record as a short line: local time, process, message, values, such as `14:02:11 api ready https://localhost:8443`. A record with a
 * `url` shows no other value. Null values and lists are in the JSON form alone. An error's stack follows it at the level `error`.
 */
export function textLine(record: LogRecord): string {
  const { level, time, name, msg, url, err } = record;
  const rank = level >= ERROR ? [styled('red', 'error')] : level >= WARN ? [styled('yellow', 'warning')] : [];
  const parts = [styled('dim', clock(time)), styled('cyan', name), ...rank, ...(msg ? [forTerminal(msg)] : [])];
  if (url !== undefined) return [...parts, forTerminal(url)].join(' ');
  const values = Object.entries(record)
    .filter(([key, value]) => !NO_VALUES.has(key) && value !== null && !Array.isArray(value))
    .map(([key, value]) => {
      const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
      return key === msg ? text : `${key}=${text}`;
    });
  const reason = err && err.message !== msg ? [err.message] : [];
  const line = [...parts, ...[...values, ...reason].map(forTerminal)].join(' ');
  const frames = err?.stack?.split('\n').filter((frame) => /^\s+at /.test(frame)) ?? [];
  return level >= ERROR ? [line, ...frames.map((frame) => styled('dim', forTerminal(frame)))].join('\n') : line;
}

/** Local time of day, HH:MM:SS. */
function clock(atMs: number): string {
  const at = new Date(atMs);
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

/** Coloured if standard error is a terminal, and NO_COLOR is unset. */
const styled = (style: 'dim' | 'cyan' | 'red' | 'yellow', text: string): string =>
  styleText(style, text, { stream: process.stderr });
