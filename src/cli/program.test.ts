import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as imports from './import.ts';
import * as keys from './keys.ts';
import { buildProgram, describeFailure } from './program.ts';
import * as users from './users.ts';

/** Returns the text that the program prints for these arguments. */
async function outputOf(...words: string[]): Promise<string> {
  let text = '';
  const program = buildProgram([users, imports, keys]);
  const writeErr = (part: string) => {
    text += part;
  };
  const silence = { writeErr, writeOut: () => {} };
  for (const one of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)])
    one.configureOutput(silence).exitOverride();
  await program.parseAsync(words, { from: 'user' }).catch(() => {});
  return text;
}

test('reports an unknown option before a missing one, with a suggestion and without the whole help', async () => {
  const [error, hint, ...more] = (await outputOf('users', 'create', '--emial', 'a@example.com')).trim().split('\n');
  expect(error).toBe("error: unknown option '--emial'");
  expect(hint).toBe('(Did you mean --email?)');
  expect(more).toEqual(['(add --help to see the options)']);
  expect(await outputOf('import', '--file', 'x.csv')).toContain("unknown option '--file'");
});

test('reports a missing option if all given options are known', async () => {
  expect(await outputOf('import', 'x.csv')).toMatch(/^error: required option '--device <device_id>' not specified/);
});

test('refuses a key that would have expired already, and an overlap beyond that of the API, but accepts none', async () => {
  for (const words of [
    ['create', '--user', 'usr_x'],
    ['rotate', 'key_x'],
  ])
    expect(await outputOf('keys', ...words, '--expires', '0d')).toContain('Must be more than 0');
  expect(await outputOf('keys', 'rotate', 'key_x', '--overlap', '0h', '--expires', '0h')).toContain("'--expires");
  expect(await outputOf('keys', 'rotate', 'key_x', '--overlap', '31d')).toContain('Must be at most 720h');
});

test('prints an error that quotes a hostile file without the characters that control a terminal', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hostile-'));
  const file = join(folder, 'readings.csv');
  await writeFile(file, 'ts,\u001b[2J\u009b31mkwh\n2026-01-01T00:00:00Z,1\n');
  const read = imports.createImportReader({ format: 'csv', timeColumn: 'time', kind: 'register', where: [] } as never);
  const counts = { rows: 0 } as never;
  const readAll = async () => {
    for await (const _ of read(file, counts, () => {}));
  };
  const failure = await readAll().catch((error: unknown) => error);
  await rm(folder, { recursive: true });
  expect((failure as Error).message).toContain('\u001b[2J');
  expect(describeFailure(failure)).toBe('There is no column "time". Columns: ts, ·[2J·31mkwh');
  expect(describeFailure(new Error('two\nlines'))).toBe('two\nlines');
});
