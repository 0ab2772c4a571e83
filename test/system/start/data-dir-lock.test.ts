import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockDataDir, removeStaleLock } from '#src/start/data-dir-lock.ts';
import { createTemporaryFolder } from '#test/support/service.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let file: string;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  file = join(folder.path, 'service.lock');
});
afterEach(() => folder.remove());

/** Content of a lock file that an ended process has left. The ended process had the same process id as this process. */
const STALE = `${process.pid} 1\n`;

test('a lock that a killed service left is taken over, and released', async () => {
  writeFileSync(file, STALE);
  const unlock = await lockDataDir(folder.path);
  await expect(lockDataDir(folder.path)).rejects.toThrow(`process ${process.pid}`);
  unlock();
  expect(readdirSync(folder.path)).toEqual([]);
});

test('a killed service that is a zombie holds no lock', async () => {
  // The shell becomes `sleep`, which does not wait for child processes. The child ends only after that, and therefore stays a zombie.
  const program = 'read line <&3 & echo $!; exec sleep 60';
  const parent = spawn('sh', ['-c', program], { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] });
  const [said] = await once(parent.stdout as Readable, 'data');
  await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n');
  (parent.stdio[3] as Writable).end('\n');
  const stat = () => readFileSync(`/proc/${Number(said)}/stat`, 'utf8').split(' ');
  await expect.poll(() => stat()[2]).toBe('Z');
  writeFileSync(file, `${Number(said)} ${stat()[21]}\n`);
  (await lockDataDir(folder.path))();
  parent.kill();
});

test('an empty lock, of a service that was killed while writing it, is taken over', async () => {
  writeFileSync(file, '');
  (await lockDataDir(folder.path))();
});

test('a process that is slower to take over a stale lock leaves the new lock of the faster one', async () => {
  const unlock = await lockDataDir(folder.path);
  const fresh = readFileSync(file, 'utf8');
  // A second process has read the stale lock before the first process replaced it. It must not remove the new lock.
  expect(removeStaleLock(file)).toBe(process.pid);
  expect(readFileSync(file, 'utf8')).toBe(fresh);
  unlock();
  expect(existsSync(file)).toBe(false);
  // If another process has already removed the lock file, unlocking does not fail.
  expect(removeStaleLock(file)).toBeNull();
});

test('a process does not release a lock that another service has acquired meanwhile', async () => {
  const unlock = await lockDataDir(folder.path);
  writeFileSync(file, STALE);
  unlock();
  expect(readFileSync(file, 'utf8')).toBe(STALE);
});

test('restricts folders with sign-in links and keys that an earlier version left open, but not the targets of symbolic links', async () => {
  const outside = join(folder.path, 'fullchain.pem');
  const modes = () => {
    const found = [
      'mail',
      'sms',
      'tls',
      'mail/a',
      'sms/a',
      'tls/a',
      'tls/read-only',
      'fullchain.pem',
      'other',
      'other/a',
    ];
    return Object.fromEntries(
      found.map((path) => [path, (statSync(join(folder.path, path)).mode & 0o777).toString(8)]),
    );
  };
  for (const name of ['mail', 'sms', 'tls', 'other']) {
    mkdirSync(join(folder.path, name));
    chmodSync(join(folder.path, name), 0o755);
    writeFileSync(join(folder.path, name, 'a'), 'x');
    chmodSync(join(folder.path, name, 'a'), 0o644);
  }
  writeFileSync(join(folder.path, 'tls/read-only'), 'x');
  writeFileSync(outside, 'x');
  for (const path of [join(folder.path, 'tls/read-only'), outside]) chmodSync(path, 0o444);
  symlinkSync(outside, join(folder.path, 'tls/cert.pem'));
  const before = modes();
  const unlock = await lockDataDir(folder.path);
  const narrowed = { mail: '700', sms: '700', tls: '700', 'mail/a': '600', 'sms/a': '600', 'tls/a': '600' };
  expect(modes()).toEqual({ ...before, ...narrowed, 'tls/read-only': '400' });
  unlock();
});

test('does not touch a data directory that another service holds', async () => {
  const unlock = await lockDataDir(folder.path);
  mkdirSync(join(folder.path, 'mail'));
  chmodSync(join(folder.path, 'mail'), 0o755);
  await expect(lockDataDir(folder.path)).rejects.toThrow('already uses');
  expect(statSync(join(folder.path, 'mail')).mode & 0o777).toBe(0o755);
  unlock();
});
