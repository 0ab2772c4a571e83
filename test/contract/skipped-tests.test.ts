import { globSync, readFileSync } from 'node:fs';
import { matchesGlob, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { REQUIRED_PROGRAMS } from '#test/support/setup/needs.ts';

const root = resolve(import.meta.dirname, '../..');
const TESTS = globSync('test/**/*.test.ts', { cwd: root });

test('every test file that is skipped without a program exists', () => {
  const unknown = REQUIRED_PROGRAMS.flatMap(({ files }) => files).filter((glob) =>
    expandBraces(glob).some((one) => !TESTS.some((file) => matchesGlob(file, one))),
  );
  expect(unknown).toEqual([]);
});

test('every test that starts mosquitto is skipped without it, and listed', () => {
  const globs = REQUIRED_PROGRAMS.find(({ name }) => name === 'mosquitto')?.files ?? [];
  const starts = TESTS.filter((file) =>
    /startMosquitto\(|\.bridge\(\)/.test(readFileSync(resolve(root, file), 'utf8')),
  );
  expect(starts.length).toBeGreaterThan(10);
  expect(starts.filter((file) => !globs.some((glob) => matchesGlob(file, glob)))).toEqual([]);
});

/** Expands braces in a glob: `a/{b,c}.ts` into `a/b.ts` and `a/c.ts`. */
function expandBraces(glob: string): string[] {
  const [, before = '', choices, after = ''] = /^(.*?)\{([^}]+)\}(.*)$/.exec(glob) ?? [];
  return choices === undefined ? [glob] : choices.split(',').map((one) => before + one + after);
}
