import type { FastifyInstance, FastifyReply } from 'fastify';
import { counterNameOf } from '#src/auth/authenticate.ts';
import type { Clock } from '#src/core/clock.ts';
import { AppError } from '#src/core/errors.ts';
import { hasDisconnected, onConnectionClosed } from './connection.ts';
import { requiresApiKey } from './plugins/authentication.ts';

/** Limits the requests of one account that this process runs at a time. Further requests wait, without delaying other accounts. */
export interface RequestShare {
  /**
   * Resolves with a function that ends the request, when it may begin. Resolves with null if the account has used up
   * its share of this minute, if too many of its requests already wait, or if this request waited too long.
   */
  begin(name: string): Promise<(() => void) | null>;
}

interface UnderWay {
  running: number;
  waiting: (() => void)[];
}

/**
 * Creates a limit for each name: `perMinute` requests in each minute, and `atOnce` of them concurrently. Up to `mayWait` further requests
 * wait, for at most `waitMs` and at least three quarters of that, so that a hundred requests that arrived together do not all time out at
 * the same moment.
 */
export function createRequestShare(
  { perMinute, atOnce, mayWait, waitMs }: { perMinute: number; atOnce: number; mayWait: number; waitMs: number },
  clock: () => Date,
): RequestShare {
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
        // The next request takes over the place.
        const next = mine.waiting.shift();
        if (next) return next();
        mine.running--;
        if (mine.running === 0) underWay.delete(name);
      };
    },
  };
}

/** Waits for a place and returns whether it came in time. */
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

/** Functions that mark a request as answered for its share. An event stream counts as answered once it has begun. */
const answered = new WeakMap<FastifyReply, (isOpenEnded: boolean) => void>();

/**
 * Takes one of the account's places for a request. Returns false if there is no free place (`RequestShare.begin`). The place is released once the
 * request is answered and the client has received the response or hung up. If the client hangs up first, the place is held until the
 * request ends: its statements continue in the database, and a client that repeatedly sends requests and hangs up could otherwise occupy
 * all of it. Throws `unavailable` if the client has already hung up.
 */
export async function takeRequestShare(shares: RequestShare, name: string, reply: FastifyReply): Promise<boolean> {
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

/** Marks responses for the share. Required in a scope that uses `takeRequestShare`. */
export function trackAnswers(scope: FastifyInstance): void {
  scope.addHook('onSend', (_request, reply, _payload, done) => {
    answered.get(reply)?.(isEventStream(reply));
    done();
  });
}

/**
 * Limits for the keys of one account in this process. Fewer concurrent requests than there are connections to the database, so that a
 * hundred queries of one account leave some connections for others. A request that waits longer than for a connection gets 503.
 */
const SHARE = { perMinute: Number.POSITIVE_INFINITY, atOnce: 6, mayWait: 1_000, waitMs: 5_000 };

/**
 * Limits each account, the keys of each device, and each app in a home, to a share of the process, on every path that needs a key. A request counts
 * once its body has arrived.
 */
export function addFairShare(app: FastifyInstance, clock: Clock): void {
  const shares = createRequestShare(SHARE, clock);
  trackAnswers(app);
  app.addHook('preHandler', async (request, reply) => {
    if (!request.caller || !requiresApiKey(request)) return;
    const { device } = request.caller;
    if (!(await takeRequestShare(shares, device?.id ?? counterNameOf(request.caller), reply)))
      throw new AppError('unavailable');
  });
}
