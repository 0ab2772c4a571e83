/** Maximum number of delayed wills, and bytes of one. Others are published at once, as the standard allows before the end of a session. */
const MAX_WILLS = 10_000;
const MAX_BYTES = 1_024;

/** Wills of MQTT 5 that wait: if the client returns to its session before the delay has passed, its will is not published. */
export class DelayedWills {
  readonly #waiting = new Map<string, { timer: NodeJS.Timeout; publish: () => void }>();

  /** Calls `publish` after the delay. `id`: the session of the will. */
  delay(id: string, { bytes, delayS }: { bytes: number; delayS: number }, publish: () => void): void {
    this.#take(id);
    if (bytes > MAX_BYTES || this.#waiting.size >= MAX_WILLS) {
      publish();
      return;
    }
    const timer = setTimeout(() => this.#take(id)?.publish(), delayS * 1_000);
    timer.unref();
    this.#waiting.set(id, { timer, publish });
  }

  /** Ends the wait of a session's will: it is dropped if the session is resumed, and published if the session has ended. */
  end(id: string, isResumed: boolean): void {
    const will = this.#take(id);
    if (will && !isResumed) will.publish();
  }

  /** Drops all wills. */
  stop(): void {
    for (const id of [...this.#waiting.keys()]) this.#take(id);
  }

  #take(id: string): { publish: () => void } | undefined {
    const will = this.#waiting.get(id);
    clearTimeout(will?.timer);
    this.#waiting.delete(id);
    return will;
  }
}
