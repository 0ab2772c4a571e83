import { loginOfSession } from './unreleased-messages.ts';

/**
 * Maximum number of delayed wills, and maximum bytes of one. Beyond them, wills are published at once, which the
 * standard allows before the end of a session.
 */
const MAX_WILLS = 10_000;
const MAX_BYTES = 1_024;

/**
 * Delayed wills (MQTT 5). If the client returns to its session before the delay has passed, its will is not published.
 */
export class DelayedWills {
  readonly #waiting = new Map<string, { timer: NodeJS.Timeout; publish: () => void }>();
  /** Sessions with delayed wills, by login. */
  readonly #logins = new Map<string, Set<string>>();

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
    const ids = this.#logins.get(loginOfSession(id)) ?? new Set();
    this.#logins.set(loginOfSession(id), ids.add(id));
  }

  /**
   * Ends the delay of a session's will: drops the will if the session is resumed, and publishes it if the session has
   * ended.
   */
  end(id: string, isResumed: boolean): void {
    const will = this.#take(id);
    if (will && !isResumed) will.publish();
  }

  /** Drops the wills of a login. */
  dropLogin(username: string): void {
    for (const id of [...(this.#logins.get(username) ?? [])]) this.#take(id);
  }

  /** Drops all wills. */
  stop(): void {
    for (const id of [...this.#waiting.keys()]) this.#take(id);
  }

  #take(id: string): { publish: () => void } | undefined {
    const will = this.#waiting.get(id);
    clearTimeout(will?.timer);
    this.#waiting.delete(id);
    const ids = this.#logins.get(loginOfSession(id));
    ids?.delete(id);
    if (ids?.size === 0) this.#logins.delete(loginOfSession(id));
    return will;
  }
}
