import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '#src/config/load.ts';
import { returnNullIfFileMissing } from '#src/core/files.ts';
import { createSecretEncrypter, type SecretEncrypter } from '#src/core/secrets.ts';
import { createQueryFunction, type Database } from '#src/database/connect.ts';
import { readSamplesOfEncryptedValues } from '#src/database/sealed.ts';
import { runAsOperator } from '#src/users/audit.ts';

const WHAT_TO_DO =
  'Restore the file from a backup, or set SECRET_KEY to its content (several machines on one database need the same key). ' +
  'If it is lost for good: energy secrets forget.';

const fileOf = (config: Config): string => join(config.dataDir, 'secret.key');

/**
 * Returns the installation's secret: SECRET_KEY, or the content of `secret.key`. Creates the file (mode 0600) if there is no key and no
 * encrypted value. Throws an error with the remedy if the key of the encrypted values is missing or another key is configured.
 */
export async function loadSecretKey(config: Config, db: Database): Promise<string> {
  // The encrypted values are read before the file. A process creates the file before it encrypts a value, so encrypted values without a
  // file mean that the key is missing.
  const samples = await readSamplesOfEncryptedValues(createQueryFunction(db));
  const file = fileOf(config);
  const make = () => {
    if (samples.length > 0)
      throw new Error(
        `${file} is missing, and the database has secrets that only this key decrypts (of webhooks or stored responses). ${WHAT_TO_DO}`,
      );
    return newSecret();
  };
  const secret = config.secretKey ?? (await secretInFile(config, make));
  const box = createSecretEncrypter(secret);
  if (samples.length > 0 && !samples.some((sealed) => canDecrypt(box, sealed)))
    throw new Error(
      `${config.secretKey === undefined ? file : 'SECRET_KEY'} does not decrypt the secrets in the database (of webhooks or ` +
        `stored responses): another key encrypted them. ${WHAT_TO_DO}`,
    );
  return secret;
}

/** Writes a new secret to `secret.key` and returns it. Does not check whether the database contains encrypted values. */
export const createSecretKey = async (config: Config): Promise<string> =>
  config.secretKey ?? (await secretInFile(config, newSecret));

async function secretInFile(config: Config, make: () => string): Promise<string> {
  await mkdir(config.dataDir, { recursive: true });
  return (await readOrCreateFile(fileOf(config), 0o600, make)).trim();
}

const newSecret = (): string => `${randomBytes(32).toString('base64url')}\n`;

/** Whether this key decrypts the value. */
export function canDecrypt(box: SecretEncrypter, sealed: Buffer): boolean {
  try {
    box.open(sealed);
    return true;
  } catch {
    return false;
  }
}

/** Result of discarding encrypted values. */
export interface DiscardedSecrets {
  /** Subscriptions that are paused until their owners set a new `auth_token`. */
  webhooks: { webhook_id: string; user_id: string; url: string }[];
  /** Number of deleted responses to requests with an Idempotency-Key. */
  answers: number;
}

/**
 * Discards all encrypted values that the current key cannot decrypt, in one transaction. The secret of a webhook is replaced by a random
 * one; deliveries resume when the owner sets a new token.
 */
export async function discardEncryptedSecrets(db: Database, config: Config): Promise<DiscardedSecrets> {
  const box = createSecretEncrypter(await createSecretKey(config));
  const forget = async (trx: Database): Promise<DiscardedSecrets> => {
    const webhooks: DiscardedSecrets['webhooks'] = [];
    const all = await trx
      .selectFrom('webhooks')
      .selectAll()
      .where('is_notice', '=', false)
      .orderBy('webhook_id')
      .forUpdate()
      .execute();
    for (const { webhook_id, user_id, url, auth_token_sealed, former_token_sealed } of all) {
      const isLost = auth_token_sealed !== null && !canDecrypt(box, auth_token_sealed);
      if (!isLost && (former_token_sealed === null || canDecrypt(box, former_token_sealed))) continue;
      const nobodys = box.seal(`whsec_${randomBytes(32).toString('base64')}`);
      await trx
        .updateTable('webhooks')
        .set({
          former_token_sealed: null,
          former_token_valid_until: null,
          ...(isLost ? { auth_token_sealed: nobodys, status: 'paused' } : {}),
        })
        .where('webhook_id', '=', webhook_id)
        .execute();
      if (isLost) webhooks.push({ webhook_id, user_id, url });
    }
    const answers = await trx.selectFrom('idempotent_answers').selectAll().execute();
    const lost = answers.filter(({ body_sealed }) => !canDecrypt(box, body_sealed));
    for (const { caller_id, idempotency_key } of lost) {
      await trx
        .deleteFrom('idempotent_answers')
        .where('caller_id', '=', caller_id)
        .where('idempotency_key', '=', idempotency_key)
        .execute();
    }
    const imports = await trx.selectFrom('imports').select(['import_id', 'credentials_sealed']).execute();
    for (const { import_id, credentials_sealed } of imports) {
      if (credentials_sealed === null || canDecrypt(box, credentials_sealed)) continue;
      await trx.updateTable('imports').set({ credentials_sealed: null }).where('import_id', '=', import_id).execute();
    }
    const sources = await trx.selectFrom('series_sources').select(['series_id', 'secrets_sealed']).execute();
    for (const { series_id, secrets_sealed } of sources) {
      if (secrets_sealed === null || canDecrypt(box, secrets_sealed)) continue;
      await trx
        .updateTable('series_sources')
        .set({ secrets_sealed: null })
        .where('series_id', '=', series_id)
        .execute();
    }
    return { webhooks, answers: lost.length };
  };
  return runAsOperator(db, 'secrets.forgotten', forget, () => null);
}

/**
 * Returns the content of a file, and creates the file if it is missing. If several processes start at once, all get the same content.
 * `mode`: file mode of a new file.
 */
export async function readOrCreateFile(
  file: string,
  mode: number,
  make: () => string | Promise<string>,
): Promise<string> {
  const known = await readFile(file, 'utf8').catch(returnNullIfFileMissing);
  if (known !== null && known !== '') return known;
  // The name is random, because in containers all processes may have the same id.
  const mine = `${file}.${randomBytes(8).toString('hex')}`;
  try {
    await writeFile(mine, await make(), { mode, flag: 'wx' });
    // A power cut can leave an empty key file, which is removed.
    if (known === '') await rm(file, { force: true });
    await link(mine, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(mine, { force: true });
  }
  return readFile(file, 'utf8');
}
