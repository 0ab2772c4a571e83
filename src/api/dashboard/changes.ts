import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '#src/api/context.ts';
import { mustHaveRoom, ownerOf, type StreamOwner } from '#src/api/stream-room.ts';
import { reachUserId } from '#src/auth/access.ts';
import type { Caller } from '#src/auth/authenticate.ts';
import { rolesOfSessions } from '#src/auth/sessions.ts';
import { marksOfReadings } from '#src/devices/newest.ts';
import { callerOf } from './caller.ts';

/** How often the database is asked for news: once for all listeners of this process. */
const LOOK_MS = 2_000;
/** Proxies close connections that are silent for a minute. */
const BEAT_MS = 25_000;
/** A stream ends after this time; the browser reconnects by itself. */
const MAX_STREAM_MS = 2 * 60_000;
/** A listener with more unread bytes than this gets no more: its next event makes the page fetch everything anyway. */
const MAX_UNREAD_BYTES = 16_384;
/** How long a client has to read that its stream has ended, when the process ends. */
const UNREAD_END_MS = 1_000;

interface Listener {
  /** A listener, and whose readings it follows. */
  caller: Caller;
  owner: StreamOwner;
  userId: string;
  stream: Readable;
  /** What it was last told of. */
  mark: string | undefined;
  /** It gets no more; what it was told may not be read yet. */
  isOver: boolean;
}

/**
 * `GET /dashboard/v1/changes?user_id=`: server-sent events (HTML standard, 9.2), `readings` each time devices of the account
 * were heard of, with the time of the youngest reading; the first one at once, since the page may have asked before. They end
 * with their session, wherever that is ended, when its role is another, and from `handOn` on: the page connects again, to another process.
 */
export function addChanges(app: FastifyInstance, context: ApiContext, handOn?: AbortSignal): void {
  const listeners = new Set<Listener>();
  let isLooking = false;

  const look = async () => {
    if (isLooking || listeners.size === 0) return;
    isLooking = true;
    try {
      const roles = await rolesOfSessions(
        context.db,
        [...listeners].map(({ caller }) => caller.keyId),
        context.clock(),
      );
      for (const one of listeners) if (roles.get(one.caller.keyId) !== one.caller.role) end(one);
      const userIds = [...new Set([...listeners].map(({ userId }) => userId))];
      const found = new Map((await marksOfReadings(context.db, userIds)).map((one) => [one.user_id, one]));
      for (const one of listeners) {
        const now = found.get(one.userId);
        if (!now || one.mark === now.mark) continue;
        one.mark = now.mark;
        say(one, `event: readings\ndata: ${now.newest.toISOString()}\n\n`);
      }
    } catch {
      // The database is away: whoever listens hears of it when it is back.
    } finally {
      isLooking = false;
    }
  };
  const looking = setInterval(() => void look(), LOOK_MS);
  const beating = setInterval(() => {
    for (const one of listeners) say(one, ': still here\n\n');
  }, BEAT_MS);
  const endAll = () => {
    for (const one of listeners) end(one);
  };
  handOn?.addEventListener('abort', endAll);
  // Before the server closes: it waits for answers that are under way.
  app.addHook('preClose', async () => {
    clearInterval(looking);
    clearInterval(beating);
    endAll();
    // Of those whose clients do not read their end.
    setTimeout(() => {
      for (const { stream } of listeners) stream.destroy();
    }, UNREAD_END_MS).unref();
  });

  // Without HEAD, which would open one that nobody reads.
  app.get('/dashboard/v1/changes', { exposeHeadRoute: false }, async (request, reply) => {
    const caller = await callerOf(context, request);
    const named = new URLSearchParams(request.url.split('?')[1] ?? '').get('user_id') ?? undefined;
    const userId = await reachUserId(context.db, caller, named);
    const owner = await ownerOf(context.db, caller);
    mustHaveRoom(listeners, owner);
    const stream = new Readable({ read() {} });
    const listener: Listener = { caller, owner, userId, stream, mark: undefined, isOver: false };
    listeners.add(listener);
    const longest = setTimeout(() => end(listener), MAX_STREAM_MS);
    stream.once('close', () => {
      clearTimeout(longest);
      listeners.delete(listener);
    });
    stream.push('retry: 3000\n\n');
    if (handOn?.aborted) end(listener);
    // Proxies that gather an answer before they pass it on are told not to.
    reply.header('X-Accel-Buffering', 'no').header('Cache-Control', 'no-store, no-transform');
    return reply.type('text/event-stream; charset=utf-8').send(stream);
  });
}

function say({ stream, isOver }: Listener, text: string): void {
  if (stream.readableLength < MAX_UNREAD_BYTES && !isOver) stream.push(text);
}

function end(one: Listener): void {
  if (!one.isOver) one.stream.push(null);
  one.isOver = true;
}
