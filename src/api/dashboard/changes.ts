import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '#src/api/operation.ts';
import { reachUserId } from '#src/auth/access.ts';
import { AppError } from '#src/core/errors.ts';
import { newestReadings } from '#src/devices/newest.ts';

/** How often it is asked what is new, for everybody who listens to this process together. */
const LOOK_MS = 2_000;
/** Intermediaries cut what is silent for a minute. */
const BEAT_MS = 25_000;
/** Then the browser asks again by itself, and its session is looked at anew. */
const LONGEST_MS = 10 * 60_000;
const MOST = { ofAccount: 20, ofAll: 2_000 };

/**
 * `GET /dashboard/v1/changes?user_id=`: server-sent events (HTML standard, 9.2), `readings` each time devices of the account
 * were heard of, with the time of the youngest reading.
 */
export function addChanges(app: FastifyInstance, context: ApiContext): void {
  const listening = new Map<string, Set<(newest: Date) => void>>();
  const seen = new Map<string, number>();
  const open = new Set<Readable>();
  const ofAccount = new Map<string, number>();
  let isLooking = false;

  const look = async () => {
    if (isLooking || listening.size === 0) return;
    isLooking = true;
    try {
      for (const { user_id, newest } of await newestReadings(context.db, [...listening.keys()])) {
        const before = seen.get(user_id);
        seen.set(user_id, newest.getTime());
        if (before !== undefined && before !== newest.getTime())
          for (const tell of listening.get(user_id) ?? []) tell(newest);
      }
    } catch {
      // The database is away: whoever listens hears of it when it is back.
    } finally {
      isLooking = false;
    }
  };
  const timer = setInterval(() => void look(), LOOK_MS);
  timer.unref();
  // Before the server closes: it waits for answers that are under way.
  app.addHook('preClose', async () => {
    clearInterval(timer);
    for (const stream of open) stream.destroy();
  });

  app.get('/dashboard/v1/changes', async (request, reply) => {
    const { caller } = request;
    if (!caller) throw new AppError('unauthorized');
    const named = new URLSearchParams(request.url.split('?')[1] ?? '').get('user_id') ?? undefined;
    const userId = await reachUserId(context.db, caller, named);
    const mine = ofAccount.get(caller.userId) ?? 0;
    if (mine >= MOST.ofAccount || open.size >= MOST.ofAll) throw new AppError('unavailable');
    const stream = new Readable({ read() {} });
    const tell = (newest: Date) => {
      // One that does not read gets no more: the page asks for everything anyway.
      if (stream.readableLength < 65_536) stream.push(`event: readings\ndata: ${newest.toISOString()}\n\n`);
    };
    const beat = setInterval(() => stream.push(': still here\n\n'), BEAT_MS);
    const end = setTimeout(() => stream.push(null), LONGEST_MS);
    ofAccount.set(caller.userId, mine + 1);
    open.add(stream);
    listening.set(userId, (listening.get(userId) ?? new Set()).add(tell));
    stream.once('close', () => {
      clearInterval(beat);
      clearTimeout(end);
      open.delete(stream);
      const left = (ofAccount.get(caller.userId) ?? 1) - 1;
      if (left > 0) ofAccount.set(caller.userId, left);
      else ofAccount.delete(caller.userId);
      listening.get(userId)?.delete(tell);
      if (listening.get(userId)?.size === 0) {
        listening.delete(userId);
        seen.delete(userId);
      }
    });
    stream.push('retry: 3000\n\n');
    return reply.type('text/event-stream; charset=utf-8').send(stream);
  });
}
