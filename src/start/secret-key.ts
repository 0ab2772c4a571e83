import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '#src/config/load.ts';

/**
 * The installation's secret: SECRET_KEY, or the one in `secret.key` of the data directory, which is made (0600) where there
 * is none. Of several processes that start at once one makes it and all use it.
 */
export async function secretKey(config: Config): Promise<string> {
  if (config.secretKey !== undefined) return config.secretKey;
  const file = join(config.dataDir, 'secret.key');
  await mkdir(config.dataDir, { recursive: true });
  const known = await readFile(file, 'utf8').catch(() => null);
  if (known) return known.trim();
  const mine = `${file}.${process.pid}`;
  await writeFile(mine, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
  // A link is made by one only, and the file is whole when it appears.
  await link(mine, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(mine);
  return (await readFile(file, 'utf8')).trim();
}
