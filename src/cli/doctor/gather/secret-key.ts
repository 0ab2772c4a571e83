import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '#src/config/load.ts';
import { secretBox } from '#src/core/secret-box.ts';
import { opens } from '#src/start/secret-key.ts';
import type { SecretKeyFacts } from '../facts.ts';

/** Tries the secret on what the database has sealed; makes none. `sealed`: null where the database could not be asked. */
export async function gatherSecretKey(config: Config, sealed: readonly Buffer[] | null): Promise<SecretKeyFacts> {
  const file = join(config.dataDir, 'secret.key');
  const from = config.secretKey === undefined ? file : 'SECRET_KEY';
  const secret = config.secretKey ?? (await readFile(file, 'utf8').catch(() => '')).trim();
  const isThere = secret !== '';
  if (sealed === null) return { from, isThere, sealed: null };
  const opened = isThere ? sealed.filter((one) => opens(secretBox(secret), one)).length : 0;
  return { from, isThere, sealed: { looked: sealed.length, opened } };
}
