import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { createPool } from '#src/database/connect.ts';
import { startEmbeddedPostgres } from '#src/database/embedded-postgres.ts';
import { lockDataDir } from '#src/start/data-dir-lock.ts';
import { temporaryFolder } from '#test/support/service.ts';

const HARNESS = resolve(import.meta.dirname, '../../support/embedded-harness.ts');

test('takes over the server that a killed parent left behind, with its data, and ends it', async () => {
  const folder = await temporaryFolder();
  // A folder that only its owner may enter, as home folders of root are.
  const dataDir = join(folder.path, 'private', 'data');
  await mkdir(dataDir, { recursive: true });
  await chmod(join(folder.path, 'private'), 0o700);
  const parent = fork(HARNESS, [dataDir], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await once(parent, 'message');
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  const pidOf = async () => (await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0];
  const orphan = await pidOf();

  const server = await startEmbeddedPostgres({ dataDir, sharedBuffersMb: 128 });
  expect(server.adopted).toBe(true);
  expect(await pidOf()).toBe(orphan);
  const pool = createPool(server.url);
  expect((await pool.query('SELECT n FROM kept')).rows).toEqual([{ n: 42 }]);
  const { rows } = await pool.query(
    "SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit",
  );
  expect(rows[0]).toEqual({ fsync: 'on', commit: 'on' });
  await pool.end();
  await server.stop();
  // A zombie, until its new parent has looked, has no command line.
  expect(await readFile(`/proc/${orphan}/cmdline`, 'utf8').catch(() => '')).toBe('');

  // And once more from a directory whose server was killed itself: its pid file is stale.
  const again = await startEmbeddedPostgres({ dataDir, sharedBuffersMb: 128 });
  process.kill(Number(await pidOf()), 'SIGKILL');
  await new Promise((done) => setTimeout(done, 500));
  const recovered = await startEmbeddedPostgres({ dataDir, sharedBuffersMb: 128 });
  expect(recovered.adopted).toBe(false);
  await recovered.stop();
  expect(again.url).toBe(recovered.url);
  await folder.remove();
}, 180_000);

test('a data directory has one service at a time; what a killed one left is taken over', async () => {
  const folder = await temporaryFolder();
  const release = await lockDataDir(folder.path);
  await expect(lockDataDir(folder.path)).rejects.toThrow(/already runs on .*Stop it first, or set DATA_DIR/);
  release();
  const again = await lockDataDir(folder.path);
  again();
  const { writeFile } = await import('node:fs/promises');
  await writeFile(join(folder.path, 'service.lock'), `${process.pid} 1\n`);
  (await lockDataDir(folder.path))();
  await folder.remove();
});
