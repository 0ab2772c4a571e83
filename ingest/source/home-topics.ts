import type { Logger } from '#src/core/log.ts';
import { Shares } from '#src/core/shares.ts';

/** What is said on the topic of a home; text. */
export interface HomeUsagePort {
  /** Null: there is no such home. */
  read(userId: string): Promise<string | null>;
  /** What differs after each reading of a home; homes that were never heard of are left out. */
  marks(userIds: string[]): Promise<ReadonlyMap<string, string>>;
}

/** Tells homes what they use, as long as somebody listens. */
export interface HomeTopics {
  /**
   * Somebody listens to a home from now on: it is read now, and whenever it changes. False where its account has its share of homes, and nobody
   * listens then.
   */
  follow(userId: string, account: string, listener: object): boolean;
  leave(listener: object, userId?: string): void;
  stop(): void;
}

/** How often it is looked whether anything changed. */
const LOOK_MS = 10_000;
/** What changes without a reading (a tariff, a standing charge, midnight) is told this much later at most. */
const ANEW_MS = 5 * 60_000;
/** Homes that are told of: each costs the process that stores readings some milliseconds at a change. Accounts share them. */
const MAX_HOMES = 100;

interface Home {
  account: string;
  listeners: Set<object>;
  mark: string | undefined;
  readAtMs: number;
  told: string | undefined;
}

/** `publish`: to all that listen, and kept for those that come; an empty text takes away what is kept. */
export function homeTopics(
  port: HomeUsagePort,
  publish: (userId: string, text: string) => void,
  { log, everyMs = LOOK_MS }: { log: Logger; everyMs?: number },
): HomeTopics {
  const homes = new Map<string, Home>();
  const places = new Shares(MAX_HOMES);
  let isLooking = false;

  /** Ends with homes that nobody listens to, not before: who comes and goes costs no reading each time. */
  function endUnheard(): void {
    for (const [userId, { listeners, account, told }] of homes) {
      if (listeners.size > 0) continue;
      homes.delete(userId);
      places.give(account);
      // Nobody keeps it up to date any more.
      if (told) publish(userId, '');
    }
  }

  async function look(): Promise<void> {
    if (isLooking || homes.size === 0) return;
    isLooking = true;
    try {
      const marks = await port.marks([...homes.keys()]);
      for (const [userId, home] of homes) {
        const mark = marks.get(userId);
        const isDue = home.told === undefined || home.mark !== mark || performance.now() - home.readAtMs > ANEW_MS;
        if (!isDue) continue;
        const text = (await port.read(userId)) ?? '';
        // Everybody left meanwhile.
        if (homes.get(userId) !== home) continue;
        Object.assign(home, { mark, readAtMs: performance.now() });
        if (text !== home.told) publish(userId, text);
        home.told = text;
      }
    } catch (error) {
      log.debug({ err: error }, 'homes not told what they use');
    } finally {
      isLooking = false;
    }
  }
  const looking = setInterval(() => {
    endUnheard();
    void look();
  }, everyMs);
  looking.unref();
  return {
    follow(userId, account, listener) {
      const known = homes.get(userId);
      if (known) {
        known.listeners.add(listener);
        return true;
      }
      if (!places.hasRoom(account)) return false;
      places.take(account);
      const listeners = new Set([listener]);
      homes.set(userId, { account, listeners, mark: undefined, readAtMs: 0, told: undefined });
      void look();
      return true;
    },
    leave(listener, userId) {
      for (const [id, { listeners }] of homes) if (userId === undefined || id === userId) listeners.delete(listener);
    },
    stop: () => clearInterval(looking),
  };
}
