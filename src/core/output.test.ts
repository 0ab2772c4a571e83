import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

const OUTPUT = new URL('output.ts', import.meta.url).href;

/** Returns the exit code of a process whose output pipe is closed. `first`: source code that the process runs before it prints. */
async function exitCode(first: string): Promise<number | null> {
  const program = `${first}
    process.on('SIGTERM', () => {
      setInterval(() => { console.log('a line'); console.log('and one more'); }, 10);
      setTimeout(() => process.exit(42), 200);
    });
    setInterval(() => {}, 1_000);
    console.log('ready');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'pipe'] });
  await once(child.stdout, 'data');
  const closed = [child.stdout, child.stderr].map((stream) => once(stream.destroy(), 'close'));
  await Promise.all(closed);
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  return code;
}

test('a service whose output pipe is closed continues to run; a command ends', async () => {
  expect(await exitCode(`const { ignoreOutputErrors } = await import('${OUTPUT}'); ignoreOutputErrors();`)).toBe(42);
  expect(await exitCode('')).toBe(1);
});
