import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadConfig, loadDemoConfig } from '#src/config/load.ts';
import { lockDataDir } from '#src/start/data-dir-lock.ts';
import { loadConfigOfRunningService, writeListeningAddresses } from '#src/start/ports.ts';
import { createTemporaryFolder } from '#test/support/service.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
beforeEach(async () => {
  folder = await createTemporaryFolder();
});
afterEach(() => folder.remove());

test('a command that runs next to the demo prints the demo’s addresses for devices, unless the environment sets others', async () => {
  const env = { DATA_DIR: folder.path };
  const demo = loadDemoConfig({ ...env, API_PORT: '9443', PUBLIC_URL: 'https://localhost:9000' });
  const giveBack = await lockDataDir(folder.path);
  const take = writeListeningAddresses(demo);
  expect(loadConfigOfRunningService(env)).toEqual(demo);
  expect(loadConfigOfRunningService({ ...env, API_PORT: '7443', MQTTS_HOST: '' })).toEqual({
    ...demo,
    api: { ...demo.api, port: 7443 },
  });
  take();
  expect(loadConfigOfRunningService(env)).toEqual(loadConfig(env));
  giveBack();
});

test('a command ignores the addresses file of a killed service', async () => {
  const env = { DATA_DIR: folder.path };
  writeListeningAddresses(loadDemoConfig(env));
  expect(loadConfigOfRunningService(env)).toEqual(loadConfig(env));
});

test('an error about a damaged file contains its name', async () => {
  const giveBack = await lockDataDir(folder.path);
  await writeFile(join(folder.path, 'listening.json'), '{');
  expect(() => loadConfigOfRunningService({ DATA_DIR: folder.path })).toThrow(/listening\.json cannot be read/);
  giveBack();
});

test('only its owner can read the file, even if it replaces one that everybody could read', async () => {
  const file = join(folder.path, 'listening.json');
  const usual = process.umask(0);
  try {
    await writeFile(file, '{}', { mode: 0o666 });
    writeListeningAddresses(loadDemoConfig({ DATA_DIR: folder.path }));
  } finally {
    process.umask(usual);
  }
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});
