import type { Logger } from '#src/core/log.ts';
import { isEmbeddedAlive, startEmbeddedPostgres } from '#src/database/embedded-postgres.ts';

const LOOK_EVERY_MS = 1_000;

/**
 * Starts the embedded PostgreSQL, and starts it again whenever it is gone (killed, or out of disk for a while): every
 * second, until it stands. Its users wait for it by themselves.
 */
export async function keepEmbeddedPostgres(
  dataDir: string,
  log: Logger,
): Promise<{ url: string; stop(): Promise<void> }> {
  const { url, stop } = await startEmbeddedPostgres({ dataDir });
  let complained = '';
  let looking: Promise<void> = Promise.resolve();
  let isLooking = false;
  const look = async () => {
    if (await isEmbeddedAlive(dataDir)) return;
    log.warn('PostgreSQL stopped, restarting it');
    try {
      await startEmbeddedPostgres({ dataDir });
      complained = '';
      log.info('PostgreSQL is running again');
    } catch (error) {
      const { message } = error as Error;
      if (message !== complained) log.error({ err: error }, 'PostgreSQL does not start, retrying every second');
      complained = message;
    }
  };
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    looking = look().finally(() => {
      isLooking = false;
    });
  }, LOOK_EVERY_MS);
  return {
    url,
    async stop() {
      clearInterval(timer);
      await looking;
      await stop();
    },
  };
}
