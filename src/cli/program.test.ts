import { expect, test } from 'vitest';
import * as imports from './import.ts';
import { programOf } from './program.ts';
import * as users from './users.ts';

/** What a person reads who types this. */
async function said(...words: string[]): Promise<string> {
  let text = '';
  const program = programOf([users, imports]);
  const writeErr = (part: string) => {
    text += part;
  };
  const silence = { writeErr, writeOut: () => {} };
  for (const one of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)])
    one.configureOutput(silence).exitOverride();
  await program.parseAsync(words, { from: 'user' }).catch(() => {});
  return text;
}

test('an option that is not known is named before one that is missing, with what it may have meant, and without the whole help', async () => {
  const [error, hint, ...more] = (await said('users', 'create', '--emial', 'a@example.com')).trim().split('\n');
  expect(error).toBe("error: unknown option '--emial'");
  expect(hint).toBe('(Did you mean --email?)');
  expect(more).toEqual(['(add --help to see what it knows)']);
  expect(await said('import', '--file', 'x.csv')).toContain("unknown option '--file'");
});

test('an option that is missing is named where all others are known', async () => {
  expect(await said('import', 'x.csv')).toMatch(/^error: required option '--device <device_id>' not specified/);
});
