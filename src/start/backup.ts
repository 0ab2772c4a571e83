import { computeUnarchivedWalBytes } from '#src/backup/archive.ts';
import { type BackupPlan, readCopyState, readWalDiscardStartTime, writeCopyState } from '#src/backup/plan.ts';
import type { Config } from '#src/config/load.ts';
import type { Logger } from '#src/core/log.ts';
import { startLoop } from '#src/core/loop.ts';
import type { Metrics } from '#src/core/metrics.ts';
import type { Database } from '#src/database/connect.ts';
import { composeBackupsInterruptedMail, sendMail } from '#src/delivery/email/send.ts';
import { openMailer } from './channels.ts';

const COPY = 'energy_backup_last_copy_timestamp_seconds';
const WAITING = 'energy_backup_wal_waiting_bytes';
const GIVEN_UP = 'energy_backup_wal_given_up';

/** Interval in ms at which the worker checks whether the archiving of WAL is suspended. */
const LOOK_MS = 10_000;
/** Maximum number of administrators who get a mail when archiving is suspended. */
const MAX_MAILS = 20;

/**
 * Reports on the installation's own backups: as metrics, and by mail to the administrators if archiving of WAL is suspended. Returns a
 * function that stops the reports.
 */
export function startBackupReports(
  config: Config,
  plan: BackupPlan,
  { db, metrics, log }: { db: Database; metrics: Metrics; log: Logger },
): () => Promise<void> {
  const { dataDir, isArchiving } = plan;
  metrics.valuesOf({ [COPY]: 'Time of the newest copy of the database, in Unix time' }, async () => {
    const { last } = await readCopyState(dataDir);
    return last ? { [COPY]: new Date(last.at).getTime() / 1_000 } : ({} as Record<string, number>);
  });
  if (!isArchiving) return async () => {};
  metrics.valuesOf(
    {
      [WAITING]: 'WAL that waits for the archive of BACKUP_TO',
      [GIVEN_UP]: '1 while WAL is discarded, because too much of it waited for the archive',
    },
    async () => ({
      [WAITING]: await computeUnarchivedWalBytes(dataDir),
      [GIVEN_UP]: (await readWalDiscardStartTime(dataDir)) === null ? 0 : 1,
    }),
  );
  const mailer = openMailer(config);
  const loop = startLoop(
    'back-up reports',
    async () => {
      await mailIfGivenUp(dataDir, async () => {
        const administrators = await db
          .selectFrom('users')
          .select(['user_id', 'email', 'language'])
          .where('role', '=', 'admin')
          .orderBy('user_id')
          .limit(MAX_MAILS)
          .execute();
        for (const { user_id: userId, email, language } of administrators)
          await sendMail(
            mailer,
            { publicUrl: config.publicUrl, from: config.mail.from },
            { userId, email },
            await composeBackupsInterruptedMail(plan.target, language),
          ).catch((error: Error) => log.warn({ err: error, userId }, 'mail about back-ups was not sent'));
      });
      return 0;
    },
    LOOK_MS,
    log,
  );
  return async () => {
    await loop.stop();
    mailer.close();
  };
}

async function mailIfGivenUp(dataDir: string, send: () => Promise<void>): Promise<void> {
  const since = await readWalDiscardStartTime(dataDir);
  if (since === null || (await readCopyState(dataDir)).mailed_given_up_at === since) return;
  await send();
  await writeCopyState(dataDir, { ...(await readCopyState(dataDir)), mailed_given_up_at: since });
}
