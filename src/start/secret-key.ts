import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '#src/config/load.ts';
import { makeOnce } from '#src/core/make-once.ts';

/**
 * The installation's secret: SECRET_KEY, or the one in `secret.key` of the data directory, which is made (0600) where there
 * is none. Of several processes that start at once one makes it and all use it.
 */
export async function secretKey(config: Config): Promise<string> {
  if (config.secretKey !== undefined) return config.secretKey;
  await mkdir(config.dataDir, { recursive: true });
  const make = () => `${randomBytes(32).toString('base64url')}\n`;
  return (await makeOnce(join(config.dataDir, 'secret.key'), 0o600, make)).trim();
}
