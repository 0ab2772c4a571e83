import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMMANDS } from '#src/cli/program.ts';
import { completionIn } from '#test/support/completion.ts';
import { temporaryFolder } from '#test/support/service.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let file: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  file = completionIn(folder.path, 'fish');
});
afterAll(() => folder.remove());

/** Returns fish's completions for a line, with their descriptions. */
const offered = (line: string): Map<string, string> =>
  new Map(
    execFileSync('fish', ['--no-config', '-c', `source ${file}; complete -C "${line}"`], {
      encoding: 'utf8',
      cwd: folder.path,
      env: { ...process.env, HOME: folder.path },
    })
      .split('\n')
      .filter((text) => text !== '')
      .map((text) => text.split('\t') as [string, string]),
  );

test('completes commands, subcommands, options and their values, with descriptions', () => {
  expect([...offered('energy ').keys()].sort()).toEqual(Object.keys(COMMANDS).sort());
  expect(offered('energy us').get('users')).toBe('accounts');
  expect([...offered('energy webhooks re').keys()]).toEqual(['retry']);
  expect([...offered('energy users update anna@example.com --pl').keys()]).toEqual(['--plan']);
  expect([...offered('energy devices create --placement st').keys()]).toEqual(['storage']);
  expect([...offered('energy export usr_1 --output energy.').keys()]).toEqual(['energy.fish']);
});
