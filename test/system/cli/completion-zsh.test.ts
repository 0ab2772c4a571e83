import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { completionIn } from '#test/support/completion.ts';
import { temporaryFolder } from '#test/support/service.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let file: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  file = completionIn(folder.path, 'zsh');
});
afterAll(() => folder.remove());

/** Types lines into a zsh on its own terminal (zpty), with Tab for each `⇥`. Returns the arguments that `energy` is called with. */
function called(...lines: string[]): string[] {
  const script = join(folder.path, 'typed.zsh');
  const typed = lines.map(
    (line) => `zpty -w z ${`$'${line.replaceAll('⇥', '\\t')}'`}; zpty -r z said $'*ARGS:*\\n'; print -r -- "$said"`,
  );
  writeFileSync(
    script,
    `zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1= PS2= RPS1=; unsetopt zle_bracketed_paste prompt_cr prompt_sp; autoload -U compinit; compinit -u -D; source ${file}"
zpty -w z "energy() { print -r -- \\"AR\\"\\"GS:\\$*\\" }; print -r -- RE\\"\\"ADY"
zpty -r z said $'*READY\\r\\n*'
${typed.join('\n')}
zpty -d z
`,
  );
  const output = execFileSync('zsh', ['-f', script], {
    encoding: 'utf8',
    cwd: folder.path,
    env: { ...process.env, HOME: folder.path, TERM: 'dumb' },
    timeout: 60_000,
  });
  return [...output.matchAll(/ARGS:(.*?)\s*$/gm)].map(([, args = '']) => args);
}

test('completes commands, subcommands, options and their values', () => {
  expect(
    called(
      'energy webh⇥re⇥',
      'energy users up⇥--pl⇥',
      'energy devices create --placement stor⇥',
      'energy export usr_1 --out⇥energy.z⇥',
    ),
  ).toEqual([
    'webhooks retry',
    'users update --plan',
    'devices create --placement storage',
    'export usr_1 --output energy.zsh',
  ]);
});
