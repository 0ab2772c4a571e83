import { randomBytes } from 'node:crypto';
import type { Config } from '#src/config/load.ts';
import { secretBox } from '#src/core/secret-box.ts';
import type { Database } from '#src/database/connect.ts';
import { runAsOperator } from '#src/users/audit.ts';
import { newSecretKey, opens } from './secret-key.ts';

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
