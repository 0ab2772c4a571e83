import type { Logger } from './log.ts';
import { pause, WakeUpSignal } from './wake-up-signal.ts';

/** A task that runs repeatedly. */
export interface Loop {
  /** Ends the idle pause, because there is work. The pause after an error lasts all the same. */
  kick(): void;
  /** Ends the loop, and waits for the current turn. */
  stop(): Promise<void>;
}

const AFTER_ERROR_MS = { first: 500, longest: 5_000 };

/**
 * Runs `turn` again at once while it returns the number of things it did, and after `idleMs` if that is 0. After an error the pause grows, so
 * that a database that is down is not flooded with attempts. Errors are logged, and never end the loop.
 */
export function startLoop(name: string, turn: () => Promise<number>, idleMs: number, log: Logger): Loop {
  const stopping = new AbortController();
  const { signal } = stopping;
  const wakeUp = new WakeUpSignal();
  const run = async () => {
    let errorMs = AFTER_ERROR_MS.first;
    while (!signal.aborted) {
      wakeUp.lower();
      try {
        const did = await turn();
        errorMs = AFTER_ERROR_MS.first;
        if (did === 0) await wakeUp.wait(idleMs, signal);
      } catch (error) {
        log.warn({ err: error, loop: name, retry_in_ms: errorMs }, 'failed, retrying');
        await pause(errorMs, signal);
        errorMs = Math.min(errorMs * 2, AFTER_ERROR_MS.longest);
      }
    }
  };
  const done = run();
  return {
    kick: () => wakeUp.raise(),
    async stop() {
      stopping.abort();
      await done;
    },
  };
}
