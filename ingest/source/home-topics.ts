import { FairShareCapacity } from '#src/core/fair-share-capacity.ts';
import type { Logger } from '#src/core/log.ts';

export interface HomeUsageSource {
  /** Returns the text to publish for a home. Null if the home does not exist. */
  read(userId: string): Promise<string | null>;
  /** Returns a text per home that changes with each reading. Homes without readings are left out. */
  marks(userIds: string[]): Promise<ReadonlyMap<string, string>>;
}

/** Interval in ms at which homes are checked for changes. */
const LOOK_MS = 10_000;
/** Maximum time in ms after which a change without a reading is published, for example a new tariff or midnight. */
const REPEAT_MS = 5 * 60_000;
/** Maximum number of homes that are published, shared by all accounts. */
const MAX_HOMES = 100;

interface Home {
  account: string;
  listeners: Set<object>;
  mark: string | undefined;
  readAtMs: number;
  published: string | undefined;
}

export class HomeTopicPublisher {
  readonly #port: HomeUsageSource;
  readonly #publish: (userId: string, text: string) => void;
  readonly #log: Logger;
  readonly #homes = new Map<string, Home>();
  readonly #places = new FairShareCapacity(MAX_HOMES);
  readonly #looking: NodeJS.Timeout;
  #isLooking = false;

  /** `publish`: sends a text to all subscribers, and retains it for later ones. An empty text deletes the retained text. */
  constructor(
    port: HomeUsageSource,
    publish: (userId: string, text: string) => void,
    { log, everyMs = LOOK_MS }: { log: Logger; everyMs?: number },
  ) {
    this.#port = port;
    this.#publish = publish;
    this.#log = log;
    this.#looking = setInterval(() => {
      this.#endUnheard();
      void this.#look();
    }, everyMs);
    this.#looking.unref();
  }

  /**
   * Adds a subscriber to a home, and publishes its usage now and after each change. Returns false if the account has too many subscribed
   * homes.
   */
  follow(userId: string, account: string, listener: object): boolean {
    const known = this.#homes.get(userId);
    if (known) {
      known.listeners.add(listener);
      return true;
    }
    if (!this.#places.hasRoom(account)) return false;
    this.#places.take(account);
    const listeners = new Set([listener]);
    this.#homes.set(userId, { account, listeners, mark: undefined, readAtMs: 0, published: undefined });
    void this.#look();
    return true;
  }

  leave(listener: object, userId?: string): void {
    for (const [id, { listeners }] of this.#homes)
      if (userId === undefined || id === userId) listeners.delete(listener);
  }

  stop(): void {
    clearInterval(this.#looking);
  }

  /**
   * Stops publishing homes without subscribers. This runs at intervals, so that a client that often reconnects does not cause many queries.
   */
  #endUnheard(): void {
    for (const [userId, { listeners, account, published }] of this.#homes) {
      if (listeners.size > 0) continue;
      this.#homes.delete(userId);
      this.#places.give(account);
      if (published) this.#publish(userId, '');
    }
  }

  async #look(): Promise<void> {
    if (this.#isLooking || this.#homes.size === 0) return;
    this.#isLooking = true;
    try {
      const marks = await this.#port.marks([...this.#homes.keys()]);
      for (const [userId, home] of this.#homes) await this.#read(userId, home, marks.get(userId));
    } catch (error) {
      this.#log.debug({ err: error }, 'the usage of homes was not published');
    } finally {
      this.#isLooking = false;
    }
  }

  /** Publishes the usage of a home if it has changed. `mark`: text that changes with each reading. */
  async #read(userId: string, home: Home, mark: string | undefined): Promise<void> {
    const isDue = home.published === undefined || home.mark !== mark || performance.now() - home.readAtMs > REPEAT_MS;
    if (!isDue) return;
    const text = (await this.#port.read(userId)) ?? '';
    // All subscribers have disconnected during the query.
    if (this.#homes.get(userId) !== home) return;
    Object.assign(home, { mark, readAtMs: performance.now() });
    if (text !== home.published) this.#publish(userId, text);
    home.published = text;
  }
}
