import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '#src/config/load.ts';
import { makeOnce } from '#src/core/make-once.ts';
import { type SecretBox, secretBox } from '#src/core/secret-box.ts';
import { type Database, queryOf } from '#src/database/connect.ts';
import { sealedSamples } from '#src/database/sealed.ts';

const WHAT_TO_DO =
  'Put the file back from a backup, or set SECRET_KEY to what it said (several machines on one database need the same one). ' +
  'If it is lost for good: energy secrets forget.';

const fileOf = (config: Config): string => join(config.dataDir, 'secret.key');

/**
 * The installation's secret: SECRET_KEY, or the one in `secret.key` of the data directory, which is made (0600) where there
 * is none and the database has nothing sealed. Of several processes that start at once one makes it and all use it. Throws, with what to do, where
 * the key is missing that sealed what the database has, or another one is there.
 */
export async function secretKey(config: Config, db: Database): Promise<string> {
  // Before the file: whoever sealed something meanwhile has made the file before that.
  const samples = await sealedSamples(queryOf(db));
  const file = fileOf(config);
  const make = () => {
    if (samples.length > 0)
      throw new Error(
        `${file} is missing, and the database has secrets that only it opens (of webhooks, or answers). ${WHAT_TO_DO}`,
      );
    return newSecret();
  };
  const secret = config.secretKey ?? (await secretInFile(config, make));
  const box = secretBox(secret);
  if (samples.length > 0 && !samples.some((sealed) => opens(box, sealed)))
    throw new Error(
      `${config.secretKey === undefined ? file : 'SECRET_KEY'} does not open the secrets that the database has (of webhooks, or ` +
        `answers): they were sealed with another one. ${WHAT_TO_DO}`,
    );
  return secret;
}

/** Makes `secret.key` what the installation goes on with, whatever the database has. */
export const newSecretKey = async (config: Config): Promise<string> =>
  config.secretKey ?? (await secretInFile(config, newSecret));

async function secretInFile(config: Config, make: () => string): Promise<string> {
  await mkdir(config.dataDir, { recursive: true });
  return (await makeOnce(fileOf(config), 0o600, make)).trim();
}

const newSecret = (): string => `${randomBytes(32).toString('base64url')}\n`;

/** Whether this key sealed it. */
export function opens(box: SecretBox, sealed: Buffer): boolean {
  try {
    box.open(sealed);
    return true;
  } catch {
    return false;
  }
}
