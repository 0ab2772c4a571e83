import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { expect, test } from 'vitest';

const LOG = new URL('log.ts', import.meta.url).href;

test('a log that cannot be written does not end the process', () => {
  const full = openSync('/dev/full', 'w');
  const program = `const { createLog } = await import('${LOG}');
    const log = createLog('test');
    for (let line = 0; line < 3; line++) log.warn('no room for this');
    setTimeout(() => process.exit(42), 50);`;
  const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'ignore', full],
  });
  closeSync(full);
  expect(status).toBe(42);
});
