import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '#src/api/context.ts';
import { STREAM_SCOPE } from '#src/api/live/live.ts';
import { createServerSentEventWriter, type ServerSentEventWriter } from '#src/api/live/server-sent-events.ts';
import { assertStreamAllowed, loadStreamOwner, type StreamOwner } from '#src/api/stream-limits.ts';
import { resolveRequestedUserId } from '#src/auth/access.ts';
import { type ContinuousReader, findReadersWithoutAccess } from '#src/auth/disallowed-readers.ts';
import { findCallerInHome } from '#src/auth/homes.ts';
import { findLatestReadingVersions } from '#src/devices/newest-readings.ts';
import { authenticateCaller } from './caller.ts';

/** Time in ms between two queries for new readings. One query serves all streams of this process. */
const LOOK_MS = 2_000;
/** Time in ms between two heartbeats of a stream. Proxies close connections that are silent for a minute. */
const BEAT_MS = 25_000;
/** Maximum duration of a stream in ms. Browsers then reconnect by themselves. */
const MAX_STREAM_MS = 2 * 60_000;
/** Line of a stream that lets the browser reconnect 3,000 ms after the stream's end. */
const RETRY = 'retry: 3000\n\n';
/** Time in ms that clients have to read the end of their streams when the process stops. */
const UNREAD_END_MS = 1_000;

/** An open stream, with the account whose readings it reports. */
interface Listener extends ContinuousReader {
  owner: StreamOwner;
  outlet: ServerSentEventWriter;
  /** Version of the account's readings when the last event was sent to the stream. */
  mark: string | undefined;
}

/**
 * Adds `GET /dashboard/v1/changes?user_id=`, a stream of server-sent events. Whenever a device of the account reports, the stream
 * sends the event `readings` with the time of the newest reading. The first event is sent at once. A stream ends if its session
 * loses access to the account, or when `handOn` aborts; the page then reconnects.
 */
export function addChangeStream(app: FastifyInstance, context: ApiContext, handOn?: AbortSignal): void {
  const listeners = new Set<Listener>();
  let isLooking = false;

  const look = async () => {
    if (isLooking || listeners.size === 0) return;
    isLooking = true;
    // Errors, such as an unavailable database, are ignored. The next successful query finds the same changes.
    await sendChanges(context, listeners).catch(() => {});
    isLooking = false;
  };
  const looking = setInterval(look, LOOK_MS);
  const beating = setInterval(() => {
    for (const { outlet } of listeners) outlet.send(': still here\n\n');
  }, BEAT_MS);
  const endAll = () => {
    for (const one of listeners) end(one);
  };
  handOn?.addEventListener('abort', endAll);
  // Streams must end before the server closes, because the server waits for open responses.
  app.addHook('preClose', async () => {
    clearInterval(looking);
    clearInterval(beating);
    endAll();
    // After `UNREAD_END_MS`, destroys the streams that their clients have not read to the end.
    setTimeout(() => {
      for (const { outlet } of listeners) outlet.stream.destroy();
    }, UNREAD_END_MS).unref();
  });

  // A HEAD route would open a stream that no client reads.
  app.get('/dashboard/v1/changes', { exposeHeadRoute: false }, async (request, reply) => {
    const named = new URLSearchParams(request.url.split('?')[1] ?? '').get('user_id') ?? undefined;
    const signedIn = await authenticateCaller(context, request);
    const caller = await findCallerInHome(context.db, signedIn, () => ({ userId: named, objects: [] }));
    const userId = await resolveRequestedUserId(context.db, caller, named);
    const owner = await loadStreamOwner(context.db, caller);
    assertStreamAllowed(listeners, owner);
    const outlet = createServerSentEventWriter();
    const listener: Listener = { caller, owner, userId, outlet, mark: undefined };
    listeners.add(listener);
    const longest = setTimeout(() => end(listener), MAX_STREAM_MS);
    outlet.stream.once('close', () => {
      clearTimeout(longest);
      listeners.delete(listener);
    });
    outlet.send(RETRY);
    if (handOn?.aborted) end(listener);
    // With these headers, proxies do not buffer the response.
    reply.header('X-Accel-Buffering', 'no').header('Cache-Control', 'no-store, no-transform');
    return reply.type('text/event-stream; charset=utf-8').send(outlet.stream);
  });
}

/** Ends the streams whose callers have lost access, and sends an event to the streams of accounts with new readings. */
async function sendChanges({ db, clock }: ApiContext, listeners: ReadonlySet<Listener>): Promise<void> {
  const asked = { scope: STREAM_SCOPE, now: clock() };
  for (const one of await findReadersWithoutAccess(db, [...listeners], asked)) end(one);
  const userIds = [...new Set([...listeners].map(({ userId }) => userId))];
  const found = new Map((await findLatestReadingVersions(db, userIds)).map((one) => [one.user_id, one]));
  for (const one of listeners) {
    const now = found.get(one.userId);
    if (!now || one.mark === now.mark) continue;
    one.mark = now.mark;
    one.outlet.send(`event: readings\ndata: ${now.newest.toISOString()}\n\n`);
  }
}

const end = ({ outlet }: Listener): void => outlet.end(RETRY);
