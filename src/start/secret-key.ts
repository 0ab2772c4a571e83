import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '#src/config/load.ts';
import { type SecretBox, secretBox } from '#src/core/secrets.ts';
import { type Database, queryOf } from '#src/database/connect.ts';
import { sealedSamples } from '#src/database/sealed.ts';
import { runAsOperator } from '#src/users/audit.ts';

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

/** What was given up. */
export interface Forgotten {
  /** Subscriptions that are paused until they get a new `auth_token`. */
  webhooks: { webhook_id: string; user_id: string; url: string }[];
  /** Kept answers to POSTs with an Idempotency-Key, which are gone. */
  answers: number;
}

/**
 * Where the key is lost that sealed what the database has: gives up what the one that is here (SECRET_KEY, `secret.key`, or a new one)
 * does not open. A webhook's secret is replaced by one that nobody knows: with its owner's next one it goes on. All of it or nothing.
 */
export async function forgetSealed(db: Database, config: Config): Promise<Forgotten> {
  const box = secretBox(await newSecretKey(config));
  const forget = async (trx: Database): Promise<Forgotten> => {
    const webhooks: Forgotten['webhooks'] = [];
    const all = await trx.selectFrom('webhooks').selectAll().orderBy('webhook_id').forUpdate().execute();
    for (const { webhook_id, user_id, url, auth_token_sealed, former_token_sealed } of all) {
      const isLost = !opens(box, auth_token_sealed);
      if (!isLost && (former_token_sealed === null || opens(box, former_token_sealed))) continue;
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
    const lost = answers.filter(({ body_sealed }) => !opens(box, body_sealed));
    for (const { caller_id, idempotency_key } of lost) {
      await trx
        .deleteFrom('idempotent_answers')
        .where('caller_id', '=', caller_id)
        .where('idempotency_key', '=', idempotency_key)
        .execute();
    }
    const imports = await trx.selectFrom('imports').select(['import_id', 'credentials_sealed']).execute();
    for (const { import_id, credentials_sealed } of imports) {
      if (credentials_sealed === null || opens(box, credentials_sealed)) continue;
      await trx.updateTable('imports').set({ credentials_sealed: null }).where('import_id', '=', import_id).execute();
    }
    return { webhooks, answers: lost.length };
  };
  return runAsOperator(db, 'secrets.forgotten', forget, () => null);
}

/**
 * The content of a file that is made where it is missing. Of several processes that start at once, in containers with a
 * volume in common, too, one makes it, whole, and all of them get that one.
 * `mode`: rights of a file that is made.
 */
export async function makeOnce(file: string, mode: number, make: () => string | Promise<string>): Promise<string> {
  const known = await readFile(file, 'utf8').catch(missing);
  if (known !== null && known !== '') return known;
  // Not by the process id: in containers all of them have the same one.
  const mine = `${file}.${randomBytes(8).toString('hex')}`;
  try {
    await writeFile(mine, await make(), { mode, flag: 'wx' });
    // A power cut can leave a file without its content.
    if (known === '') await rm(file, { force: true });
    await link(mine, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(mine, { force: true });
  }
  return readFile(file, 'utf8');
}

function missing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
