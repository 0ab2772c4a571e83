import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../../support/service.ts';

const BENCH = resolve(import.meta.dirname, '../../../bench/run.ts');

/** Returns the commands of running processes whose TMPDIR is inside this folder, by process id. */
function running(folder: string): Map<number, string> {
  const found = new Map<number, string>();
  for (const entry of readdirSync('/proc')) {
    try {
      if (!readFileSync(`/proc/${entry}/environ`, 'utf8').includes(`TMPDIR=${folder}/`)) continue;
      const command = readFileSync(`/proc/${entry}/cmdline`, 'utf8').replaceAll('\0', ' ');
      if (command !== '') found.set(Number(entry), command);
    } catch {
      // Ignore entries of /proc that are no processes, processes that have already ended, and processes of other users.
    }
  }
  return found;
}

/** Starts the benchmark `flood`, and waits until all its processes run: a database server, a worker, and a publisher of readings. */
async function flood(folder: string) {
  const child = spawn(process.execPath, [BENCH, 'flood', '--minutes=5'], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk) => (output += chunk));
  const pidOf = (part: string) => [...running(folder)].find(([, command]) => command.includes(part))?.[0];
  await expect
    .poll(() => [pidOf('ingest-publisher.ts'), pidOf('-D'), output])
    .toEqual([expect.any(Number), expect.any(Number), expect.any(String)]);
  return {
    child,
    pidOf,
    output: () => output,
    code: new Promise<number | null>((done) => child.once('exit', (code) => done(code))),
  };
}

test('an interrupted benchmark ends what it started and removes its folders', async () => {
  const folder = await createTemporaryFolder();
  const bench = await flood(folder.path);
  // On Ctrl-C, the benchmark gets the signal twice: from the terminal, and from npm, which forwards it.
  bench.child.kill('SIGINT');
  bench.child.kill('SIGINT');
  expect(await bench.code).toBe(130);
  expect(running(folder.path)).toEqual(new Map());
  expect(readdirSync(folder.path)).toEqual([]);
  expect(bench.output()).not.toContain('Left behind');
  await folder.remove();
});

test('a second Ctrl-C ends a benchmark at once, whatever hangs, and names the remaining folder', async () => {
  const folder = await createTemporaryFolder();
  const bench = await flood(folder.path);
  process.kill(bench.pidOf('-D') as number, 'SIGSTOP');
  bench.child.kill('SIGTERM');
  await expect.poll(() => bench.pidOf('ingest-publisher.ts')).toBeUndefined();
  // The benchmark ignores a second signal that arrives within a moment, because npm forwards each Ctrl-C.
  await new Promise((done) => setTimeout(done, 400));
  bench.child.kill('SIGINT');
  expect(await bench.code).toBe(130);
  await expect.poll(() => running(folder.path)).toEqual(new Map());
  const [left = ''] = readdirSync(folder.path);
  // Output of a process may still arrive after its exit event.
  await expect.poll(bench.output).toContain(`Left behind: ${join(folder.path, left)}`);
  await folder.remove();
});
