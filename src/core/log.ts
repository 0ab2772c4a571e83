import { styleText } from 'node:util';
import { type Logger, pino } from 'pino';
import { escapeLineForTerminal } from './output.ts';

export type { Logger } from 'pino';

/** A log record of pino: the members that every record has, and further values. */
interface LogRecord {
  level: number;
  time: number;
  name: string;
  msg?: string;
  url?: string;
  err?: { message: string; stack?: string };
  [value: string]: unknown;
}

/** Level numbers of pino. */
const WARN = 40;
const ERROR = 50;

/** Members of a record that are not shown as values in a line of text. */
const NO_VALUES: ReadonlySet<string> = new Set(['level', 'time', 'pid', 'hostname', 'name', 'msg', 'err', 'url']);

/**
 * Creates the structured log of a process on standard error. Secrets are removed. `format`: `text` by default on a terminal, otherwise
 * JSON.
 */
export function createLog(
  name: string,
  { level = 'info', format }: { level?: string; format?: 'json' | 'text' | undefined } = {},
): Logger {
  const output = pino.destination({ fd: 2, sync: true });
  // The process must continue if its output cannot be written.
  output.on('error', () => {});
  const isText = (format ?? (process.stderr.isTTY ? 'text' : 'json')) === 'text';
  const write = (line: string) => output.write(`${formatLogLine(JSON.parse(line))}\n`);
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
 * Formats a record as a short line: `14:02:11 api ready https://localhost:8443`. If a record has a `url`, its other values are omitted. At
 * the level `error`, the stack trace follows.
 */
export function formatLogLine(record: LogRecord): string {
  const { level, time, name, msg, url, err } = record;
  const rank = level >= ERROR ? [styled('red', 'error')] : level >= WARN ? [styled('yellow', 'warning')] : [];
  const parts = [
    styled('dim', clock(time)),
    styled('cyan', name),
    ...rank,
    ...(msg ? [escapeLineForTerminal(msg)] : []),
  ];
  if (url !== undefined) return [...parts, escapeLineForTerminal(url)].join(' ');
  const values = Object.entries(record)
    .filter(([key, value]) => !NO_VALUES.has(key) && value !== null && !Array.isArray(value))
    .map(([key, value]) => {
      const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
      return key === msg ? text : `${key}=${text}`;
    });
  const reason = err && err.message !== msg ? [err.message] : [];
  const line = [...parts, ...[...values, ...reason].map(escapeLineForTerminal)].join(' ');
  const frames = err?.stack?.split('\n').filter((frame) => /^\s+at /.test(frame)) ?? [];
  return level >= ERROR
    ? [line, ...frames.map((frame) => styled('dim', escapeLineForTerminal(frame)))].join('\n')
    : line;
}

function clock(atMs: number): string {
  const at = new Date(atMs);
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

/** Colours a text if standard error is a terminal and NO_COLOR is unset. */
const styled = (style: 'dim' | 'cyan' | 'red' | 'yellow', text: string): string =>
  styleText(style, text, { stream: process.stderr });
