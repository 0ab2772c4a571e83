import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { expect, test } from 'vitest';
import { Archiver, computeUnarchivedWalBytes } from './archive.ts';
import { readArchiveState, readWalDiscardStartTime, resumeWalArchiving } from './plan.ts';

const SEGMENT = 16 * 2 ** 20;

test('WAL beyond the limit is dropped and acknowledged, so that the disk does not fill; below it, only archived WAL is acknowledged', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'energy-'));
  const dataDir = join(folder, 'data');
  const status = join(dataDir, 'postgres/pg_wal/archive_status');
  const done = join(dataDir, 'postgres/energy-wal');
  await mkdir(status, { recursive: true });
  await mkdir(join(dataDir, 'postgres/global'));
  await writeFile(join(dataDir, 'postgres/global/pg_control'), Buffer.alloc(8192, 7));
  const names = ['1', '2', '3'].map((digit) => `00000001000000000000000${digit}`);
  for (const name of names) await writeFile(join(status, `${name}.ready`), '');
  await writeFile(join(status, '000000010000000000000004.done'), '');
  const plan = { dataDir, target: join(folder, 'target'), isArchiving: true, key: null };
  const log = pino({ level: 'silent' });
  const archiver = (bound: number) => new Archiver(plan, log, { last: null, error: null }, bound);
  expect(await computeUnarchivedWalBytes(dataDir)).toBe(3 * SEGMENT);

  // No database responds in this test, so no segment can be archived.
  await expect(archiver(3 * SEGMENT).turn()).rejects.toThrow();
  expect(await readdir(done)).toEqual([]);
  expect((await readArchiveState(dataDir)).error).not.toBeNull();
  expect(await readWalDiscardStartTime(dataDir)).toBeNull();

  const bounded = archiver(2 * SEGMENT);
  expect(await bounded.turn()).toBe(3);
  expect((await readdir(done)).sort()).toEqual([...names, 'alive']);
  expect(await readWalDiscardStartTime(dataDir)).toMatch(/^20\d\d-.*Z$/);
  expect(existsSync(plan.target)).toBe(false);
  // Segments whose archiving was confirmed earlier no longer contribute to the size of waiting WAL.
  expect(await bounded.turn()).toBe(0);
  await resumeWalArchiving(dataDir);
  expect(await readWalDiscardStartTime(dataDir)).toBeNull();
  await rm(folder, { recursive: true });
});
