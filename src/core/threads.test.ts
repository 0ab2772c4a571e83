import { mkdtempSync, writeFileSync } from 'node:fs';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { createThreadPool } from './threads.ts';

test('threads use the compile cache of their process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'compile-cache-'));
  enableCompileCache(folder);
  const task = join(folder, 'task.mjs');
  writeFileSync(task, `import { getCompileCacheDir } from 'node:module';\nexport default () => getCompileCacheDir();`);
  const threads = createThreadPool<null, string | undefined>(pathToFileURL(task), { least: 0, most: 1, mayWait: 1 });
  const ofProcess = getCompileCacheDir();
  const ofThread = await threads.run(null);
  // Compares only the folder of the two compile caches, because the last part of their paths depends on V8's flags.
  expect(ofThread && dirname(ofThread)).toBe(dirname(ofProcess as string));
  await threads.close();
});
