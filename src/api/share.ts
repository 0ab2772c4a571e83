import type { FastifyInstance, FastifyReply } from 'fastify';
import { AppError } from '#src/core/errors.ts';
import { hasHungUp, whenOver } from './connection.ts';

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
 * turn as `mayWait`, for `waitMs` at most and three quarters of that at least: a hundred that came together are not told together that it
 * was too long.
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
    const timer = setTimeout(
      () => {
        waiting.splice(waiting.indexOf(begin), 1);
        resolve(false);
      },
      waitMs * (0.75 + Math.random() / 4),
    );
    waiting.push(begin);
  });
}

/** What says of a request that it was answered, as far as its part goes; of events that go on coming its part ends with their beginning. */
const answered = new WeakMap<FastifyReply, (isOpenEnded: boolean) => void>();

/**
 * Takes a request's part of the share; false where there is none for it (`Share.begin`). The part ends once the request is answered and the
 * client has the answer, or has hung up. If the client hangs up first, the part ends when the request is over: its statements go on at the database, and
 * a client that asks and hangs up again and again would take all of that. Throws `unavailable` where it has hung up already.
 */
export async function takePart(shares: Share, name: string, reply: FastifyReply): Promise<boolean> {
  const end = await shares.begin(name);
  if (!end) return false;
  const left = new Set(['the answer', 'the connection']);
  const over = (one: string) => {
    if (left.delete(one) && left.size === 0) end();
  };
  answered.set(reply, (isOpenEnded) => {
    over('the answer');
    if (isOpenEnded) over('the connection');
  });
  whenOver(reply, () => over('the connection'));
  if (hasHungUp(reply)) throw new AppError('unavailable');
  return true;
}

/** Whether what is answered are events, for as long as the client listens. */
export const isEventStream = (reply: FastifyReply): boolean =>
  String(reply.getHeader('content-type') ?? '').startsWith('text/event-stream');

/** To be added where parts are taken with `takePart`. */
export function noteAnswers(scope: FastifyInstance): void {
  scope.addHook('onSend', async (_request, reply) => answered.get(reply)?.(isEventStream(reply)));
}
