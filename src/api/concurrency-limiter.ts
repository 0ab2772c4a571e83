import type { FastifyInstance, FastifyReply } from 'fastify';
import { getRequestCounterName } from '#src/auth/authenticate.ts';
import type { Clock } from '#src/core/clock.ts';
import { AppError } from '#src/core/errors.ts';
import { hasDisconnected, onConnectionClosed } from './connection.ts';

/**
 * Limits the concurrent requests of each account in this process. Further requests of the account wait without delaying other
 * accounts.
 */
interface ConcurrencyLimiter {
  /**
   * Waits until another request of the account `name` may begin. Resolves with a function that must be called when the request
   * has ended. Resolves with null if the account has reached its limit, or if the request has waited too long.
   */
  begin(name: string): Promise<(() => void) | null>;
}

interface UnderWay {
  running: number;
  waiting: (() => void)[];
}

/**
 * Creates limits of requests by name: `perMinute` requests in a minute, and `atOnce` concurrent requests. Up to `mayWait` further
 * requests wait, each for a random time of 75 to 100 % of `waitMs`, so that they do not time out together.
 */
export function createConcurrencyLimiter(
  { perMinute, atOnce, mayWait, waitMs }: { perMinute: number; atOnce: number; mayWait: number; waitMs: number },
  clock: () => Date,
): ConcurrencyLimiter {
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
        const next = mine.waiting.shift();
        if (next) return next();
        mine.running--;
        if (mine.running === 0) underWay.delete(name);
      };
    },
  };
}

/** Waits for a slot. Returns false if no slot became free in time. */
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

declare module 'fastify' {
  interface FastifyReply {
    /** Called when the service has responded to the request, or has begun an event stream. Null without a slot. */
    onAnswered: ((isOpenEnded: boolean) => void) | null;
  }
}

/**
 * Takes one of the account's slots for a request. Returns false if no slot becomes free. Throws `unavailable` if the client has already
 * disconnected. The slot is released when the service has responded and the client has received the response or disconnected. After an
 * early disconnection, the slot is held until the request's database statements have ended, because they still cause load.
 */
export async function takeConcurrencySlot(
  shares: ConcurrencyLimiter,
  name: string,
  reply: FastifyReply,
): Promise<boolean> {
  const end = await shares.begin(name);
  if (!end) return false;
  const pending = new Set(['the answer', 'the connection']);
  const over = (one: string) => {
    if (pending.delete(one) && pending.size === 0) end();
  };
  reply.onAnswered = (isOpenEnded) => {
    over('the answer');
    if (isOpenEnded) over('the connection');
  };
  onConnectionClosed(reply, () => over('the connection'));
  if (hasDisconnected(reply)) throw new AppError('unavailable');
  return true;
}

export const isEventStream = (reply: FastifyReply): boolean =>
  String(reply.getHeader('content-type') ?? '').startsWith('text/event-stream');

/**
 * Limits of the requests of one account in this process. An account can have fewer concurrent requests than there are database
 * connections, so that other accounts get connections, too. After `waitMs`, a waiting request gets 503.
 */
const SHARE = { perMinute: Number.POSITIVE_INFINITY, atOnce: 6, mayWait: 1_000, waitMs: 5_000 };

/**
 * Limits the concurrent requests of each account, of each device's keys, and of each app in a home. A request takes its slot when
 * its body has arrived.
 */
export function addConcurrencyLimits(app: FastifyInstance, clock: Clock): void {
  const shares = createConcurrencyLimiter(SHARE, clock);
  app.decorateReply('onAnswered', null);
  app.addHook('onSend', (_request, reply, _payload, done) => {
    reply.onAnswered?.(isEventStream(reply));
    done();
  });
  app.addHook('preHandler', async ({ caller, countedAtMs }, reply) => {
    // Requests of the dashboard have a caller, but are not counted and have slots of their own.
    if (!caller || countedAtMs === null) return;
    if (!(await takeConcurrencySlot(shares, caller.device?.id ?? getRequestCounterName(caller), reply)))
      throw new AppError('unavailable');
  });
}
