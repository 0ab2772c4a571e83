import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from './log.ts';

/** A task that runs repeatedly. */
export interface Loop {
  /** Ends the pause of an idle loop because work has arrived, but not a pause after an error. */
  kick(): void;
  /** Ends the loop. Resolves when the current turn has ended. */
  stop(): Promise<void>;
}

const AFTER_ERROR_MS = { first: 500, longest: 5_000 };

/**
 * Runs `turn` repeatedly: at once if it returned a positive number of processed items, otherwise after `idleMs`. After errors the pause
 * grows. Errors are logged and never end the loop.
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

/** Waits for `ms`, or until the signal `over` aborts. Never throws. */
export const pause = (ms: number, over: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal: over }).catch(() => {});

/** A signal that ends a loop's pause early. If it is raised while nothing waits, the next pause ends at once. */
export class WakeUpSignal {
  #isRaised = false;
  #endWait: (() => void) | undefined;

  raise(): void {
    this.#isRaised = true;
    this.#endWait?.();
  }

  lower(): void {
    this.#isRaised = false;
  }

  /** Waits for `ms`, until `over` aborts, or until this signal is raised. Then resets this signal. */
  async wait(ms: number, over: AbortSignal): Promise<void> {
    if (!this.#isRaised) {
      const raised = new AbortController();
      this.#endWait = () => raised.abort();
      await pause(ms, AbortSignal.any([over, raised.signal]));
      this.#endWait = undefined;
    }
    this.lower();
  }
}
