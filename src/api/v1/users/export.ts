import { setInterval } from 'node:timers';
import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { reachUser } from '#src/auth/access.ts';
import { SCOPES } from '#src/auth/scopes.ts';
import { AppError } from '#src/core/errors.ts';
import { personArchive } from '#src/export/archive.ts';

/** Archives that one account, and a process for everybody, makes at once: each asks the database for page after page. */
const MAX_OF_CALLER = 1;
const MAX_AT_ONCE = 8;
/** A caller is read anew this often: reads of a revoked key end within 10 s. */
const CHECKED_EVERY_MS = 5_000;
/** A client that takes no page for so long has gone, or holds a place for nothing. */
const MAX_STALL_MS = 120_000;
const RETRY_AFTER_SECONDS = 30;

/** Callers whose archives are under way in this process. */
const underWay: string[] = [];

export const exportUser = operation({
  summary: 'Everything that is known of an account as a ZIP of JSON and CSV files; secrets are left out.',
  method: 'GET',
  path: '/v1/users/{user_id}/export',
  readsFromStandby: true,
  audit: { action: 'user.exported', target: 'user_id' },
  scope: SCOPES.filter((scope) => scope.endsWith(':read')),
  produces: 'application/zip',
  answer: z.string().meta({ format: 'binary' }),
  params: z.object({ user_id: id }),
  async handle({ context: { db, readDb, clock, dataDir }, caller, params, reply, stillAllowed }) {
    const { user_id: userId } = await reachUser(db, caller, params.user_id);
    if (underWay.filter((one) => one === caller.userId).length >= MAX_OF_CALLER)
      throw new AppError('tooManyRequests', { retryAfterSeconds: RETRY_AFTER_SECONDS });
    if (underWay.length >= MAX_AT_ONCE) throw new AppError('unavailable');
    let [checkedAtMs, pageAtMs] = [performance.now(), performance.now()];
    const archive = personArchive(userId, {
      db,
      readDb,
      dataDir,
      now: clock(),
      async beforePage() {
        pageAtMs = performance.now();
        if (pageAtMs - checkedAtMs < CHECKED_EVERY_MS) return;
        checkedAtMs = pageAtMs;
        await reachUser(db, await stillAllowed(), userId);
      },
    });
    underWay.push(caller.userId);
    const watch = setInterval(() => {
      if (performance.now() - pageAtMs > MAX_STALL_MS) archive.destroy(new Error('the client does not read'));
    }, CHECKED_EVERY_MS);
    archive.once('close', () => {
      clearInterval(watch);
      underWay.splice(underWay.indexOf(caller.userId), 1);
    });
    reply.header('Content-Disposition', `attachment; filename="${userId}.zip"`).type('application/zip');
    return archive;
  },
});
