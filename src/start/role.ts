import type { Logger } from '#src/core/log.ts';

/** A role that runs in this process. */
export interface Role {
  /** What a person should know of it once it is ready. */
  ready: Record<string, unknown>;
  stop(): Promise<void>;
}

/** A stop that takes longer than this is ended. */
const STOP_MS = 9_000;

/**
 * Runs a role until a signal, or until the supervisor that started it is gone: tells the supervisor when it is ready,
 * stops in order, and ends the process.
 */
export async function runRole(name: string, log: Logger, start: () => Promise<Role>): Promise<void> {
  process.title = `energy ${name}`;
  let role: Role | undefined;
  let stopping = false;
  const stop = async (why: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ why }, 'stopping');
    setTimeout(() => process.exit(1), STOP_MS).unref();
    await role?.stop().catch((error: Error) => log.error({ err: error }, 'stop'));
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));
  process.on('disconnect', () => void stop('the supervisor is gone'));
  role = await start();
  log.info(role.ready, 'ready');
  process.send?.({ ready: name, ...role.ready });
}
