import type { FastifyInstance, FastifyReply } from 'fastify';
import { getRequestCounterName } from '#src/auth/authenticate.ts';
import type { Clock } from '#src/core/clock.ts';
import { AppError } from '#src/core/errors.ts';
import { hasDisconnected, onConnectionClosed } from './connection.ts';
import { isApiKeyRequired } from './plugins/authentication.ts';

/** Limits the concurrent requests of one account in this process. Further requests wait, without delaying other accounts. */
export interface ConcurrencyLimit {
  /**
   * Waits until a request of `name` may begin. Resolves with a function that ends the request. Resolves with null if the share of this
   * minute is used up, too many requests already wait, or this request has waited too long.
   */
  begin(name: string): Promise<(() => void) | null>;
}

interface UnderWay {
  running: number;
  waiting: (() => void)[];
}

/**
 * Creates a request limit for each name: `perMinute` requests in each minute, and `atOnce` concurrent requests. Up to `mayWait` further
 * requests wait. Each times out after a random time between three quarters of `waitMs` and `waitMs`, so that a hundred requests that
 * arrived together do not all time out at the same moment.
 */
export function createConcurrencyLimit(
  { perMinute, atOnce, mayWait, waitMs }: { perMinute: number; atOnce: number; mayWait: number; waitMs: number },
  clock: () => Date,
): ConcurrencyLimit {
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
        // The next waiting request gets the slot of the request that has ended.
        const next = mine.waiting.shift();
        if (next) return next();
        mine.running--;
        if (mine.running === 0) underWay.delete(name);
      };
    },
  };
}

/** Waits for a slot. Returns whether a slot became free in time. */
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

/** Functions to call when the service has answered a request. An event stream counts as answered once it has begun. */
const answered = new WeakMap<FastifyReply, (isOpenEnded: boolean) => void>();

/**
 * Takes one of the account's slots for a request. Returns false if no slot becomes free (`ConcurrencyLimit.begin`). The slot is released
 * when the request is answered and the client has received the response or hung up. If the client hangs up earlier, the slot is held until
 * the request ends: its statements continue in the database, and otherwise a client that repeatedly sends requests and hangs up could
 * occupy the whole database. Throws `unavailable` if the client has already hung up.
 */
export async function takeConcurrencySlot(
  shares: ConcurrencyLimit,
  name: string,
  reply: FastifyReply,
): Promise<boolean> {
  const end = await shares.begin(name);
  if (!end) return false;
  const pending = new Set(['the answer', 'the connection']);
  const over = (one: string) => {
    if (pending.delete(one) && pending.size === 0) end();
  };
  answered.set(reply, (isOpenEnded) => {
    over('the answer');
    if (isOpenEnded) over('the connection');
  });
  onConnectionClosed(reply, () => over('the connection'));
  if (hasDisconnected(reply)) throw new AppError('unavailable');
  return true;
}

/** Whether the response is an event stream, which continues for as long as the client listens. */
export const isEventStream = (reply: FastifyReply): boolean =>
  String(reply.getHeader('content-type') ?? '').startsWith('text/event-stream');

/** Detects when requests are answered, for `takeConcurrencySlot`. Must be called in each scope that uses it. */
export function trackUnsentResponses(scope: FastifyInstance): void {
  scope.addHook('onSend', (_request, reply, _payload, done) => {
    answered.get(reply)?.(isEventStream(reply));
    done();
  });
}

/**
 * Limits for the keys of one account in this process. The maximum of concurrent requests is below the number of database connections, so
 * that a hundred queries of one account leave connections for others. A request that waits longer than for a connection gets 503.
 */
const SHARE = { perMinute: Number.POSITIVE_INFINITY, atOnce: 6, mayWait: 1_000, waitMs: 5_000 };

/**
 * Limits each account, each device's keys, and each app in a home to a share of the process, on every path that needs a key. A request
 * takes its slot once its body has arrived.
 */
export function addConcurrencyLimits(app: FastifyInstance, clock: Clock): void {
  const shares = createConcurrencyLimit(SHARE, clock);
  trackUnsentResponses(app);
  app.addHook('preHandler', async (request, reply) => {
    if (!request.caller || !isApiKeyRequired(request)) return;
    const { device } = request.caller;
    if (!(await takeConcurrencySlot(shares, device?.id ?? getRequestCounterName(request.caller), reply)))
      throw new AppError('unavailable');
  });
}
