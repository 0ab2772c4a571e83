import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TESTED_PROGRAM } from '#test/support/program.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'import-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs `energy import` in an environment without a database or a broker. */
async function run(...flags: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [TESTED_PROGRAM, 'import', ...flags], {
    env: { PATH: process.env.PATH, DATA_DIR: '/nonexistent' },
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (data) => (out += data));
  child.stderr.on('data', (data) => (err += data));
  const code = await new Promise<number | null>((done) => child.once('close', done));
  return { code, out, err };
}

test('lists Home Assistant’s entities with the command to import each, and requires a device for an import', async () => {
  const file = join(folder, 'history.csv');
  await writeFile(
    file,
    'entity_id,state,last_changed\nsensor.energy_production_tarif_1,7,2026-05-01T10:00:00.000Z\nsensor.\u001b[31mred,1,2026-05-01T10:00:00.000Z\n',
  );
  const listed = await run('--format', 'home-assistant', file);
  expect([listed.code, listed.err]).toEqual([0, '']);
  expect(listed.out).toContain('sensor.energy_production_tarif_1: 1 values, 2026-05-01 to 2026-05-01\n');
  expect(listed.out).toContain(`--entity sensor.energy_production_tarif_1 --channel export/t1 ${file}\n`);
  // The name of the series comes from another system. The command must not print its control characters, which could change the terminal.
  expect(listed.out).not.toContain('\u001b');
  const { code, err } = await run('--format', 'green-button', file);
  expect([code, err.split('\n')[0]]).toEqual([1, "error: required option '--device <device_id>' not specified"]);
  expect((await run('--format', 'home-assistant', join(folder, 'nothing.db'))).err).toContain('There is no file');
});
