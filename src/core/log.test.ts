import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { formatLogLine } from './log.ts';

const LOG = new URL('log.ts', import.meta.url).href;

test('a log that cannot be written does not end the process', () => {
  const full = openSync('/dev/full', 'w');
  const program = `const { createLog } = await import('${LOG}');
    const log = createLog('test');
    for (let line = 0; line < 3; line++) log.warn('no room for this');
    setTimeout(() => process.exit(42), 50);`;
  const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'ignore', full],
  });
  closeSync(full);
  expect(status).toBe(42);
});

const AT = new Date('2026-11-24T14:02:11').getTime();

test.each([
  ['url', { level: 30, msg: 'ready', url: 'https://localhost:8443', https_port: 8443 }, 'ready https://localhost:8443'],
  ['values, but lists and nulls', { level: 30, msg: 'ready', jobs: ['a', 'b'], port: null, days: 3 }, 'ready days=3'],
  [
    'value that has the name of the message',
    { level: 30, msg: 'database', database: 'PostgreSQL' },
    'database PostgreSQL',
  ],
  ['rank from warnings on', { level: 40, msg: 'role exited', role: 'api' }, 'warning role exited role=api'],
  [
    'error with its stack',
    { level: 50, msg: 'stop', err: { message: 'gone', stack: 'Error: gone\n    at one (file.ts:1:2)' } },
    'error stop gone\n    at one (file.ts:1:2)',
  ],
  ['value that would drive the terminal', { level: 30, msg: 'topic', on: '\x1b[2Ja\nb' }, 'topic on=·[2Ja·b'],
])('a text line contains the time, the process, and the %s', (_what, record, text) => {
  expect(stripVTControlCharacters(formatLogLine({ time: AT, name: 'api', pid: 7, hostname: 'vm', ...record }))).toBe(
    `14:02:11 api ${text}`,
  );
});

const PROGRAM = `const { createLog } = await import('${LOG}');
  createLog('api', { format: process.env.FORMAT }).info({ url: 'https://localhost' }, 'ready');`;
/** Returns what a program logs to a pipe or to a terminal, which script(1) emulates. */
function logged(where: 'pipe' | 'terminal', format?: string): string {
  const node = [process.execPath, '--input-type=module', '-e', PROGRAM];
  const env = { PATH: process.env.PATH, TERM: 'xterm', ...(format && { FORMAT: format }) };
  const quoted = node.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const [command = '', ...rest] = where === 'pipe' ? node : ['script', '-qec', quoted, '/dev/null'];
  const { stdout, stderr } = spawnSync(command, rest, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'pipe'] });
  return stdout + stderr;
}
const LINE = /^\d\d:\d\d:\d\d api ready https:\/\/localhost\r?\n$/;

test('the log is JSON in a pipe and coloured lines on a terminal, unless LOG_FORMAT is set', () => {
  const [inPipe, onTerminal] = [logged('pipe'), logged('terminal')];
  expect(JSON.parse(inPipe)).toMatchObject({ name: 'api', msg: 'ready' });
  expect(onTerminal).not.toBe(stripVTControlCharacters(onTerminal));
  expect(stripVTControlCharacters(onTerminal)).toMatch(LINE);
  expect(logged('pipe', 'text')).toMatch(LINE);
  expect(JSON.parse(logged('terminal', 'json'))).toMatchObject({ name: 'api', msg: 'ready' });
});
