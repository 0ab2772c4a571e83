import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS, programOf } from '#src/cli/program.ts';
import { variables } from '#src/config/sections.ts';

test('each command is in the file that is loaded for it', async () => {
  for (const [name, load] of Object.entries(COMMANDS)) {
    expect(programOf([await load()]).commands.map((one) => one.name())).toContain(name);
  }
});

test('every command of these files can be asked for', async () => {
  const files = new Set(await Promise.all(Object.values(COMMANDS).map((load) => load())));
  expect(programOf(files).commands.map((one) => one.name())).toEqual(Object.keys(COMMANDS));
});

test('the README says what each variable means', () => {
  const text = readFileSync(resolve(import.meta.dirname, '../../README.md'), 'utf8');
  const missing = Object.keys(variables.shape).filter((name) => !text.includes(`\`${name}\``));
  // A collector's variables are OpenTelemetry's own.
  expect(missing.filter((name) => !name.startsWith('OTEL_'))).toEqual([]);
});
