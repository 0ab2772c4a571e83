import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for `ms`, or until `over` aborts. Never throws. */
export const pause = (ms: number, over: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal: over }).catch(() => {});

/** Ends a pause early. A signal that is raised while nothing waits for it ends the next wait at once. */
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

  /** Waits for `ms`, until `over` aborts or until the signal is raised, and lowers the signal. */
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
