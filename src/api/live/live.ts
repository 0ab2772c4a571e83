import type { Readable } from 'node:stream';
import type { ReadDatabaseRouter } from '#src/api/reads.ts';
import { assertStreamAllowed, loadStreamOwner } from '#src/api/stream-limits.ts';
import { getRequestCounterName } from '#src/auth/authenticate.ts';
import { findReadersWithoutAccess } from '#src/auth/disallowed-readers.ts';
import type { RequestCounter } from '#src/auth/request-counter.ts';
import type { Clock } from '#src/core/clock.ts';
import type { Database } from '#src/database/connect.ts';
import { listDeviceLastSeenTimes, readLatestDeviceValues } from '#src/devices/live.ts';
import { loadHomes } from '#src/energy/home/home.ts';
import {
  areLaterEventsStored,
  findNewestUsageEventId,
  findUsageEventsAfter,
  recordFollowedHome,
  refreshFollowedHomes,
} from '#src/events/followers.ts';
import { createServerSentEventWriter, formatServerSentEvent } from './server-sent-events.ts';
import { formatStreamPosition, parseStreamPosition } from './stream-position.ts';
import { type OpenUsageStream, StreamedHomes, type UsageStreamRequest } from './streamed-homes.ts';

/** Time in ms between two queries for new readings and events. One query serves all streams of this process. */
const LOOK_MS = 1_000;
/**
 * Time in ms between two access checks (`everyMs`), and time without a successful check after which all streams end (`withinMs`).
 * A stream must end within a second after its caller has lost access.
 */
const CHECK = { everyMs: 800, withinMs: 9_000 };
/** Time in ms between two heartbeats of a stream, because proxies close connections that are silent for half a minute. */
const BEAT_MS = 15_000;
/** Maximum number of devices or homes that one SQL statement reads. */
const MAX_AT_ONCE = 200;
/** Time in ms after which a client reconnects. It is random, so that clients do not reconnect together. */
const RETRY_MS = { least: 1_000, spread: 4_000 };
/** Time in ms that clients have to read the end of their streams when the process stops. */
const UNREAD_END_MS = 1_000;

/** Scope that a caller needs for streams of live readings. */
export const STREAM_SCOPE = 'insights:read' as const;

interface LiveParts {
  db: Database;
  reads?: ReadDatabaseRouter;
  clock: Clock;
}

/**
 * The streams of `GET /v1/usage/stream` in this process. Once a second, a few queries find new readings and usage events for all
 * streams together. Readings come from the standby server if there is one. Access is checked on the primary server.
 */
export class UsageStreams {
  readonly #homes = new StreamedHomes();
  readonly #parts: LiveParts;
  readonly #counter: Pick<RequestCounter, 'suspended'>;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #isLeaving = false;
  #isStopped = false;
  #checkedAtMs = performance.now();

  constructor(parts: LiveParts, counter: Pick<RequestCounter, 'suspended'>) {
    this.#parts = parts;
    this.#counter = counter;
    this.#repeat('look', () => this.#look(), LOOK_MS);
    this.#repeat('check', () => this.#check(), CHECK.everyMs);
    const beat = () => {
      for (const { outlet } of this.#homes.followers) outlet.send(': heartbeat\n\n');
    };
    this.#timers.set('beat', setInterval(beat, BEAT_MS));
  }

  /**
   * Opens a stream of a home or of one of its devices. Throws 429 if the account has too many streams, and 503 if the process has
   * too many.
   */
  async open(request: UsageStreamRequest): Promise<Readable> {
    const { db, clock } = this.#parts;
    const owner = await loadStreamOwner(db, request.caller);
    assertStreamAllowed(this.#homes.followers, owner);
    const { place, resumed } = await this.#placeOf(request);
    // The limits are checked again, because other streams may have been opened meanwhile.
    assertStreamAllowed(this.#homes.followers, owner);
    const outlet = createServerSentEventWriter();
    const follower: OpenUsageStream = { ...request, owner, outlet, place: place && { ...place } };
    const { userId, deviceId } = request;
    const ready = { user_id: userId, device_id: deviceId ?? null, resumed };
    outlet.send(retryText());
    outlet.send(formatServerSentEvent('ready', ready, place ? formatStreamPosition(place) : undefined));
    if (this.#isLeaving) end(follower);
    const isFirst = this.#homes.add(follower, clock());
    if (isFirst) this.#sendReadings([userId]).catch(() => {});
    return outlet.stream;
  }

  count(): number {
    return this.#homes.followers.length;
  }

  /** Ends all open streams, and every new stream as soon as it opens, so that clients reconnect to another process. */
  handOn(): void {
    this.#isLeaving = true;
    for (const one of this.#homes.followers) end(one);
  }

  stop(): void {
    this.handOn();
    this.#isStopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    // After `UNREAD_END_MS`, destroys the streams that their clients have not read to the end.
    setTimeout(() => {
      for (const { outlet } of this.#homes.followers) outlet.stream.destroy();
    }, UNREAD_END_MS).unref();
  }

  #repeat(name: string, run: () => Promise<void>, everyMs: number): void {
    const turn = async () => {
      const fromMs = performance.now();
      // Errors, such as an unavailable database, are ignored. The next successful query finds the missed events.
      await run().catch(() => this.#parts.reads?.failed());
      const pauseMs = Math.max(everyMs / 2, everyMs - (performance.now() - fromMs));
      if (!this.#isStopped) this.#timers.set(name, setTimeout(turn, pauseMs));
    };
    this.#timers.set(name, setTimeout(turn, everyMs));
  }

  #newest(): Database {
    return this.#parts.reads?.newest() ?? this.#parts.db;
  }

  async #look(): Promise<void> {
    if (this.#homes.isEmpty) return;
    await this.#sendReadings(this.#homes.userIds);
    await this.#sendUsage();
  }

  async #sendReadings(userIds: readonly string[]): Promise<void> {
    const from = this.#newest();
    const all = await listDeviceLastSeenTimes(from, userIds);
    this.#homes.evictOthers(userIds, new Set(all.map(({ deviceId }) => deviceId)));
    const news = this.#homes.news(all);
    for (const some of chunks(news)) {
      const readings = await readLatestDeviceValues(from, some, this.#parts.clock());
      const byDevice = new Map(readings.map((one) => [one.device_id, one]));
      for (const seen of some) this.#homes.takeReading(seen, byDevice.get(seen.deviceId));
    }
    await this.#sendPower(from, [...new Set(news.map(({ userId }) => userId))]);
  }

  async #sendPower(from: Database, userIds: readonly string[]): Promise<void> {
    const atMs = performance.now();
    for (const some of chunks(this.#homes.withStaleParts(userIds, atMs)))
      for (const parts of await loadHomes(from, some, { isMoreAsked: false, needsConsumption: false }))
        this.#homes.takeParts(parts.userId, parts, atMs);
    for (const userId of userIds) this.#homes.sendPower(userId, this.#parts.clock());
  }

  async #sendUsage(): Promise<void> {
    for (const some of chunks(this.#homes.usagePlaces())) {
      const after = new Map(some);
      for (const { event_id, user_id, data } of await findUsageEventsAfter(this.#newest(), after))
        this.#homes.takeUsage(user_id, { afterId: after.get(user_id) as string, eventId: event_id }, data);
    }
  }

  /** Ends the streams whose callers have lost access. Ends all streams if access could not be checked for too long. */
  async #check(): Promise<void> {
    const { db, clock } = this.#parts;
    const all = this.#homes.followers;
    const nowMs = performance.now();
    try {
      if (all.length > 0) {
        const ended = new Set(await findReadersWithoutAccess(db, all, { scope: STREAM_SCOPE, now: clock() }));
        const byKey = all
          .filter(({ caller }) => caller.by !== 'session')
          .map(({ caller }) => getRequestCounterName(caller));
        const suspended = await this.#counter.suspended([...new Set(byKey)]);
        for (const one of all)
          if (ended.has(one) || (one.caller.by !== 'session' && suspended.has(getRequestCounterName(one.caller))))
            end(one);
        await refreshFollowedHomes(db, this.#homes.userIds);
      }
      this.#checkedAtMs = nowMs;
    } catch {
      if (performance.now() - this.#checkedAtMs > CHECK.withinMs) for (const one of all) end(one);
    }
  }

  /** Returns the usage event after which a stream starts, and whether it continues the client's previous stream without a gap. */
  async #placeOf({ userId, deviceId, lastEventId }: UsageStreamRequest) {
    if (deviceId !== undefined) return { place: null, resumed: null };
    const { db } = this.#parts;
    const sinceMs = await recordFollowedHome(db, userId);
    const named = lastEventId === undefined ? null : parseStreamPosition(lastEventId);
    if (named?.sinceMs === sinceMs && (await areLaterEventsStored(db, userId, named.eventId, sinceMs)))
      return { place: named, resumed: true };
    const place = { sinceMs, eventId: await findNewestUsageEventId(db, userId) };
    return { place, resumed: lastEventId === undefined ? null : false };
  }
}

const retryText = (): string => `retry: ${Math.round(RETRY_MS.least + Math.random() * RETRY_MS.spread)}\n\n`;

const end = ({ outlet }: OpenUsageStream): void => outlet.end(retryText());

function* chunks<One>(all: readonly One[]): Generator<One[]> {
  for (let at = 0; at < all.length; at += MAX_AT_ONCE) yield all.slice(at, at + MAX_AT_ONCE);
}
