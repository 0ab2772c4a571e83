import type { Logger } from './log.ts';

/** Something that is done over and over. */
export interface Loop {
  /** Does not wait for the next time: there is something to do. After an error it waits all the same. */
  kick(): void;
  /** Ends it, and waits for the turn that is under way. */
  stop(): Promise<void>;
}

const AFTER_ERROR_MS = { first: 500, longest: 5_000 };

/**
 * Runs `turn` again at once while it says that it did something (a number above 0), else after `idleMs`; after an error
 * later and later, so that a database that is away is not run down. Errors are logged, and never end it.
 */
export function startLoop(name: string, turn: () => Promise<number>, idleMs: number, log: Logger): Loop {
  let stopped = false;
  let isKicked = false;
  let isIdle = false;
  let wake: (() => void) | undefined;
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const idle = async () => {
    isIdle = true;
    await pause(idleMs);
    isIdle = false;
  };
  const run = async () => {
    let errorMs = AFTER_ERROR_MS.first;
    while (!stopped) {
      isKicked = false;
      try {
        const did = await turn();
        errorMs = AFTER_ERROR_MS.first;
        if (did === 0 && !isKicked && !stopped) await idle();
      } catch (error) {
        log.warn({ err: error, loop: name, retry_in_ms: errorMs }, 'failed, retrying');
        if (!stopped) await pause(errorMs);
        errorMs = Math.min(errorMs * 2, AFTER_ERROR_MS.longest);
      }
    }
  };
  const done = run();
  return {
    kick() {
      isKicked = true;
      if (isIdle) wake?.();
    },
    async stop() {
      stopped = true;
      wake?.();
      await done;
    },
  };
}
