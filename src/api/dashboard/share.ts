/** What one account's sessions may take of this process: their requests do not count against its plan. */
export interface Share {
  /**
   * Resolves when a request of the name may begin, with what says that it is over; with null where the name has had its
   * share of this minute, or too many of its requests wait already.
   */
  begin(name: string): Promise<(() => void) | null>;
}

interface UnderWay {
  running: number;
  waiting: (() => void)[];
}

/**
 * `perMinute` requests of a name in each minute, `atOnce` of them under way at a time; of those beyond that so many wait their
 * turn as `mayWait`.
 */
export function share(
  { perMinute, atOnce, mayWait }: { perMinute: number; atOnce: number; mayWait: number },
  clock: () => Date,
): Share {
  const underWay = new Map<string, UnderWay>();
  let minute = 0;
  let counts = new Map<string, number>();
  return {
    async begin(name) {
      const now = Math.floor(clock().getTime() / 60_000);
      if (now !== minute) {
        minute = now;
        counts = new Map();
      }
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      const mine = underWay.get(name) ?? { running: 0, waiting: [] };
      if (count > perMinute || mine.waiting.length >= mayWait) return null;
      underWay.set(name, mine);
      if (mine.running >= atOnce) await new Promise<void>((begin) => mine.waiting.push(begin));
      else mine.running++;
      return () => {
        // The next one takes this one's place.
        const next = mine.waiting.shift();
        if (next) return next();
        mine.running--;
        if (mine.running === 0) underWay.delete(name);
      };
    },
  };
}
