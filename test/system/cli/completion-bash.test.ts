import { execFileSync, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMMANDS } from '#src/cli/program.ts';
import { completionIn } from '#test/support/completion.ts';
import { temporaryFolder } from '#test/support/service.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let file: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  file = completionIn(folder.path, 'bash');
});
afterAll(() => folder.remove());

/** Returns bash's completions for the last of these words. */
function offered(...words: string[]): string[] {
  const asked = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _energy; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const script = `source '${file}'; complete -p energy >/dev/null && ${asked}`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script, 'bash', 'energy', ...words], {
    encoding: 'utf8',
    cwd: folder.path,
  });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((line) => line !== '');
}

test('completes commands, subcommands and options', () => {
  expect(offered('')).toEqual(Object.keys(COMMANDS));
  expect(offered('us')).toEqual(['users', 'usage']);
  expect(offered('webhooks', 're')).toEqual(['retry']);
  expect(offered('devices', '')).toEqual(expect.arrayContaining(['create', 'list', 'get', 'update', 'delete']));
  expect(offered('users', 'update', '--')).toEqual(
    expect.arrayContaining(['--phone', '--timezone', '--json', '--help']),
  );
  expect(offered('users', 'update', 'anna@example.com', '--pl')).toEqual(['--plan']);
});

test('completes the values of an option, files if it takes one, and nothing if the values are unknown', () => {
  expect(offered('devices', 'create', '--placement', 'st')).toEqual(['storage']);
  expect(offered('export', 'usr_1', '--output', 'energy.')).toEqual(['energy.bash']);
  expect(offered('devices', 'create', '--user', '')).toEqual([]);
  expect(offered('completion', 'b', '')).not.toContain('users');
});

test('the script does not depend on the calling shell, and another shell’s name is rejected', () => {
  const energy = resolve(import.meta.dirname, '../../../bin/energy.js');
  const { status, stderr } = spawnSync(process.execPath, [energy, 'completion', 'tcsh'], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([1, expect.stringContaining('Allowed choices are bash, zsh, fish')]);
  expect(execFileSync('bash', ['--norc', '-n', file]).length).toBe(0);
});
