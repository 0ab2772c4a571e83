import { expect, test } from 'vitest';
import { buildOverview, buildProgram, COMMAND_LOADERS } from '#src/cli/program.ts';

test('each command is in the file that is loaded for it', async () => {
  for (const [name, load] of Object.entries(COMMAND_LOADERS)) {
    expect(buildProgram([await load()]).commands.map((one) => one.name())).toContain(name);
  }
});

test('every command in these files is registered with the program', async () => {
  const files = new Set(await Promise.all(Object.values(COMMAND_LOADERS).map((load) => load())));
  expect(buildProgram(files).commands.map((one) => one.name())).toEqual(Object.keys(COMMAND_LOADERS));
});

test('the list of commands contains each with its summary, and loads none of their files', () => {
  const listed = buildOverview().commands;
  expect(listed.map((one) => one.name())).toEqual(Object.keys(COMMAND_LOADERS));
  for (const one of listed) expect(one.description(), one.name()).toMatch(/^\w.{5,}/);
});
