import type { Logger } from '#src/core/log.ts';

/** What is said on the topic of a home; text. */
export interface HomeUsagePort {
  /** Null: there is no such home. */
  read(userId: string): Promise<string | null>;
  /** What differs after each reading of a home; homes that were never heard of are left out. */
  marks(userIds: string[]): Promise<ReadonlyMap<string, string>>;
}

/** Tells homes what they use, as long as somebody listens. */
export interface HomeTopics {
  /** Whether another home can be told of. */
  hasRoom(userId: string): boolean;
  /** Somebody listens to a home: it is read now, and whenever it changes. */
  follow(userId: string, listener: object): void;
  leave(listener: object, userId?: string): void;
  stop(): void;
}

/** How often it is looked whether anything changed. */
const LOOK_MS = 10_000;
/** What changes without a reading (a tariff, a standing charge, midnight) is told this much later at most. */
const ANEW_MS = 5 * 60_000;
/** Homes that are told of: each costs the process that stores readings some milliseconds at a change. */
const MAX_HOMES = 100;

interface Home {
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
  let isLooking = false;

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
  const looking = setInterval(() => void look(), everyMs);
  looking.unref();
  return {
    hasRoom: (userId) => homes.has(userId) || homes.size < MAX_HOMES,
    follow(userId, listener) {
      const home = homes.get(userId) ?? { listeners: new Set(), mark: undefined, readAtMs: 0, told: undefined };
      homes.set(userId, home);
      home.listeners.add(listener);
      void look();
    },
    leave(listener, userId) {
      for (const [id, home] of homes) {
        if ((userId !== undefined && id !== userId) || !home.listeners.delete(listener)) continue;
        if (home.listeners.size > 0) continue;
        homes.delete(id);
        // Nobody keeps it up to date any more.
        if (home.told) publish(id, '');
      }
    },
    stop: () => clearInterval(looking),
  };
}
