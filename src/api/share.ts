import type { FastifyReply } from 'fastify';

/** What one account may take of this process at a time: what it asks beyond that waits, and keeps nobody else waiting. */
export interface Share {
  /**
   * Resolves when a request of the name may begin, with what says that it is over; with null where the name has had its
   * share of this minute, too many of its requests wait already, or it waited for too long.
   */
  begin(name: string): Promise<(() => void) | null>;
}

interface UnderWay {
  running: number;
  waiting: (() => void)[];
}

/**
 * `perMinute` requests of a name in each minute, `atOnce` of them under way at a time; of those beyond that so many wait their
 * turn as `mayWait`, for `waitMs` at most.
 */
export function share(
  { perMinute, atOnce, mayWait, waitMs }: { perMinute: number; atOnce: number; mayWait: number; waitMs: number },
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
      if (mine.running < atOnce) mine.running++;
      else if (!(await hasTurn(mine.waiting, waitMs))) return null;
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

/** Waits for a place, and answers whether it came in time. */
function hasTurn(waiting: (() => void)[], waitMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const begin = () => {
      clearTimeout(timer);
      resolve(true);
    };
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(begin), 1);
      resolve(false);
    }, waitMs);
    waiting.push(begin);
  });
}

/** Ends a request's part with its connection, not with its answer: whoever leaves breaks off what it asked. */
export function endWith(reply: FastifyReply, end: () => void): void {
  if (reply.raw.destroyed) end();
  else reply.raw.once('close', end);
}
