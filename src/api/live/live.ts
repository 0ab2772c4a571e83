import type { Readable } from 'node:stream';
import type { Reads } from '#src/api/reads.ts';
import { mustHaveRoom, ownerOf, type StreamOwner } from '#src/api/stream-room.ts';
import type { Caller } from '#src/auth/authenticate.ts';
import type { RequestCounter } from '#src/auth/request-counter.ts';
import { noLongerAllowed } from '#src/auth/still-allowed.ts';
import type { Clock } from '#src/core/clock.ts';
import type { Database } from '#src/database/connect.ts';
import { type Heard, heardOf, liveReadings, type ToldChannel } from '#src/devices/live.ts';
import { type Home as HomeParts, loadHomes } from '#src/energy/home/home.ts';
import { measuredPower } from '#src/energy/period/power-now.ts';
import { follow, followOn, isAllAfterThere, newestUsage, usageAfter } from '#src/events/followers.ts';
import { eventText, newOutlet, type Outlet } from './outlet.ts';
import { idOfPlace, isNextFor, placeOfId } from './place.ts';

/** The streams of `GET /v1/usage/stream` at this process. */
export interface Live {
  /** Opens a stream of a home, or of one of its devices. Throws 429 if the account has its share of streams at this process, 503 if there is no room. */
  open(asked: Asked): Promise<Readable>;
  /** Number of open streams. */
  count(): number;
  /** Ends every stream, and later ones immediately, so that their clients reconnect to another process. */
  handOn(): void;
  stop(): void;
}

interface Asked {
  caller: Caller;
  /** The account whose home is followed. */
  userId: string;
  /** Limits the stream to the readings of this device. */
  deviceId: string | undefined;
  /** `Last-Event-ID` of a client that reconnects. */
  lastEventId: string | undefined;
}

interface Follower extends Asked {
  owner: StreamOwner;
  outlet: Outlet;
  /** Position in the events of the home; null: the stream has no events of changed hours. */
  place: { sinceMs: number; eventId: string } | null;
}

/** A home with at least one follower at this process. `devices`: the latest reading of each as text; null: it has none to send (a thermostat's). */
interface Home {
  followers: Set<Follower>;
  devices: Map<string, { seenAtMicros: number; text: string | null }>;
  /** The latest values of its devices, and below the devices and their roles: its measured power follows from both. */
  channels: Map<string, readonly ToldChannel[]>;
  parts: (Pick<HomeParts, 'devices' | 'stretches'> & { loadedAtMs: number }) | null;
  /** The latest event of its measured power. */
  power: string | null;
}

/** Interval of queries for new readings and events: one query for all streams of this process, not one for each batch of readings (decision 0081). */
const LOOK_MS = 1_000;
/** Interval of the access check. Reads of a revoked key end within 10 s, so all streams end if no check succeeded within `withinMs`. */
const CHECK = { everyMs: 3_000, withinMs: 9_000 };
/** Maximum age of a home's devices and roles: its owner may have changed a placement. */
const PARTS_MS = 5_000;
/** Interval of heartbeats. Proxies close connections that are silent for a minute, some after half a minute. */
const BEAT_MS = 15_000;
/** Maximum number of devices in the stream of a home. Further devices can be followed one by one. */
const MAX_DEVICES = 500;
/** Maximum number of devices or homes in one statement. */
const MAX_AT_ONCE = 200;
/** Time before a client reconnects, spread so that the clients of a process do not reconnect at the same moment. */
const RETRY_MS = { least: 1_000, spread: 4_000 };
/** Time that clients have to read the end of their stream when the process stops. */
const UNREAD_END_MS = 1_000;

const retryText = (): string => `retry: ${Math.round(RETRY_MS.least + Math.random() * RETRY_MS.spread)}\n\n`;

/**
 * Follows homes for clients. Once a second it queries, for all streams together, the changed heads of devices and the outbox. Readings cause no
 * writes, and open streams cause no queries of their own. Queries go to a standby if there is one; access is checked on the primary.
 */
export function createLive(
  { db, reads, clock }: { db: Database; reads?: Reads; clock: Clock },
  counter: Pick<RequestCounter, 'suspended'>,
): Live {
  const homes = new Map<string, Home>();
  let count = 0;
  let isLeaving = false;
  let isStopped = false;
  let checkedAtMs = performance.now();
  const followers = () => [...homes.values()].flatMap((home) => [...home.followers]);
  const newest = () => reads?.newest() ?? db;
  const end = ({ outlet }: Follower) => outlet.end(retryText());

  async function lookAt(userIds: readonly string[]): Promise<void> {
    const from = newest();
    const all = await heardOf(from, userIds);
    evictOthers(userIds, new Set(all.map(({ deviceId }) => deviceId)));
    const heard = all.filter(isNews());
    for (const some of chunks(heard)) {
      const readings = new Map((await liveReadings(from, some, clock())).map((one) => [one.device_id, one]));
      for (const { userId, deviceId, seenAtMicros } of some) {
        const home = homes.get(userId);
        // A concurrent query may have processed this reading already.
        if (!home || (home.devices.get(deviceId)?.seenAtMicros ?? 0) >= seenAtMicros) continue;
        const reading = readings.get(deviceId);
        const text = reading ? eventText('reading', reading) : null;
        home.devices.set(deviceId, { seenAtMicros, text });
        home.channels.set(deviceId, reading?.channels ?? []);
        for (const one of home.followers) sendReading(one, deviceId, text);
      }
    }
    await sendPower(from, [...new Set(heard.map(({ userId }) => userId))]);
  }

  /** Evicts devices that were deleted or moved to another account: a follower that comes later must not receive their readings. */
  function evictOthers(userIds: readonly string[], deviceIds: ReadonlySet<string>): void {
    for (const { devices, channels } of userIds.flatMap((userId) => homes.get(userId) ?? [])) {
      for (const deviceId of devices.keys()) {
        if (deviceIds.has(deviceId)) continue;
        devices.delete(deviceId);
        channels.delete(deviceId);
      }
    }
  }

  /** Sends the measured power of homes with new readings, if it has changed. */
  async function sendPower(from: Database, userIds: readonly string[]): Promise<void> {
    const atMs = performance.now();
    const stale = userIds.filter((userId) => atMs - (homes.get(userId)?.parts?.loadedAtMs ?? -PARTS_MS) >= PARTS_MS);
    for (const some of chunks(stale))
      for (const parts of await loadHomes(from, some, { isMoreAsked: false, needsConsumption: false })) {
        const home = homes.get(parts.userId);
        if (home) home.parts = { devices: parts.devices, stretches: parts.stretches, loadedAtMs: atMs };
      }
    for (const userId of userIds) {
      const home = homes.get(userId);
      const text = home && powerText(userId, home);
      if (!home || !text || home.power === text) continue;
      home.power = text;
      for (const one of home.followers) sendPowerTo(one, text);
    }
  }

  function powerText(userId: string, { parts, channels }: Home): string | null {
    const power = parts && measuredPower(parts, channels, clock().getTime());
    return power && eventText('power', { user_id: userId, power_w: power.watts, power_at: power.at });
  }

  function sendPowerTo({ deviceId, outlet }: Follower, text: string): void {
    if (deviceId === undefined) outlet.sayNewest('power', text);
  }

  /** Returns a predicate: the device has a new reading. Beyond `MAX_DEVICES` of a home, only devices that are followed one by one count. */
  function isNews(): (one: Heard) => boolean {
    const counts = new Map<string, number>();
    return ({ userId, deviceId, seenAtMicros }) => {
      const home = homes.get(userId);
      if (!home) return false;
      const place = (counts.get(userId) ?? 0) + 1;
      counts.set(userId, place);
      if (place > MAX_DEVICES && ![...home.followers].some((one) => one.deviceId === deviceId)) return false;
      return (home.devices.get(deviceId)?.seenAtMicros ?? 0) < seenAtMicros;
    };
  }

  function sendReading({ deviceId, outlet }: Follower, ofDevice: string, text: string | null): void {
    if (text !== null && (deviceId === undefined || deviceId === ofDevice)) outlet.sayNewest(ofDevice, text);
  }

  /** Sends changed hours to followers whose outlet has room. The others keep their position and receive the events later. */
  async function sendUsage(): Promise<void> {
    const ready = [...homes].flatMap(([userId, home]) => {
      const places = [...home.followers].flatMap(({ place, outlet }) =>
        place && outlet.hasRoom() ? [place.eventId] : [],
      );
      return places.length === 0 ? [] : [[userId, places.sort()[0] as string] as const];
    });
    for (const some of chunks(ready)) {
      const after = new Map(some);
      for (const { event_id, user_id, data } of await usageAfter(newest(), after)) {
        const event = { afterId: after.get(user_id) as string, eventId: event_id };
        for (const { place, outlet } of homes.get(user_id)?.followers ?? []) {
          // An outlet that had no room before the query may have room by now.
          if (!place || !isNextFor(place.eventId, event) || !outlet.hasRoom()) continue;
          place.eventId = event_id;
          outlet.say(eventText('usage', data, idOfPlace(place)));
        }
      }
    }
  }

  /** Ends the streams whose callers lost access, and all streams if access could not be checked for too long. */
  async function check(): Promise<void> {
    const all = followers();
    try {
      if (all.length > 0) {
        const nowMs = performance.now();
        const ended = new Set(await noLongerAllowed(db, all, { scope: STREAM_SCOPE, now: clock() }));
        const byKey = all.filter(({ caller }) => caller.by === 'key').map(({ caller }) => caller.userId);
        const suspended = await counter.suspended([...new Set(byKey)]);
        for (const one of all)
          if (ended.has(one) || (one.caller.by === 'key' && suspended.has(one.caller.userId))) end(one);
        await followOn(db, [...homes.keys()]);
        checkedAtMs = nowMs;
      } else checkedAtMs = performance.now();
    } catch {
      if (performance.now() - checkedAtMs > CHECK.withinMs) for (const one of all) end(one);
    }
  }

  const again = (run: () => Promise<void>, everyMs: number) => {
    let timer: NodeJS.Timeout;
    const turn = async () => {
      const fromMs = performance.now();
      // The database is unavailable. The next successful query sends what followers missed.
      await run().catch(() => reads?.failed());
      if (!isStopped) timer = setTimeout(turn, Math.max(everyMs / 2, everyMs - (performance.now() - fromMs)));
    };
    timer = setTimeout(turn, everyMs);
    return () => clearTimeout(timer);
  };
  const look = async () => {
    if (homes.size === 0) return;
    await lookAt([...homes.keys()]);
    await sendUsage();
  };
  const timers = [again(look, LOOK_MS), again(check, CHECK.everyMs)];
  const beating = setInterval(() => {
    for (const { outlet } of followers()) outlet.say(': heartbeat\n\n');
  }, BEAT_MS);

  /** The position at which a stream starts, and whether that resumes the client's previous stream. */
  async function placeOf({ userId, deviceId, lastEventId }: Asked) {
    if (deviceId !== undefined) return { place: null, resumed: null };
    const sinceMs = await follow(db, userId);
    const named = lastEventId === undefined ? null : placeOfId(lastEventId);
    if (named?.sinceMs === sinceMs && (await isAllAfterThere(db, userId, named.eventId, sinceMs)))
      return { place: named, resumed: true };
    const place = { sinceMs, eventId: await newestUsage(db, userId) };
    return { place, resumed: lastEventId === undefined ? null : false };
  }

  return {
    async open(asked) {
      const owner = await ownerOf(db, asked.caller);
      mustHaveRoom(followers(), owner);
      const { place, resumed } = await placeOf(asked);
      // Check again: other streams may have opened during the queries.
      mustHaveRoom(followers(), owner);
      const outlet = newOutlet();
      const follower: Follower = { ...asked, owner, outlet, place: place && { ...place } };
      const { userId, deviceId } = asked;
      outlet.say(retryText());
      outlet.say(
        eventText(
          'ready',
          { user_id: userId, device_id: deviceId ?? null, resumed },
          place ? idOfPlace(place) : undefined,
        ),
      );
      if (isLeaving) end(follower);
      const known = homes.get(userId);
      const empty = {
        followers: new Set<Follower>(),
        devices: new Map(),
        channels: new Map(),
        parts: null,
        power: null,
      };
      const home: Home = known ?? empty;
      homes.set(userId, home);
      home.followers.add(follower);
      count++;
      outlet.stream.once('close', () => {
        count--;
        home.followers.delete(follower);
        if (home.followers.size === 0 && homes.get(userId) === home) homes.delete(userId);
      });
      for (const [id, { text }] of home.devices) sendReading(follower, id, text);
      const power = powerText(userId, home);
      if (power) sendPowerTo(follower, power);
      if (!known) lookAt([userId]).catch(() => {});
      return outlet.stream;
    },
    count: () => count,
    handOn() {
      isLeaving = true;
      for (const one of followers()) end(one);
    },
    stop() {
      this.handOn();
      isStopped = true;
      for (const stop of timers) stop();
      clearInterval(beating);
      // Destroy streams whose clients do not read the end.
      setTimeout(() => {
        for (const { outlet } of followers()) outlet.stream.destroy();
      }, UNREAD_END_MS).unref();
    },
  };
}

/** Scope that a key needs for the stream. */
export const STREAM_SCOPE = 'insights:read' as const;

function* chunks<One>(all: readonly One[]): Generator<One[]> {
  for (let at = 0; at < all.length; at += MAX_AT_ONCE) yield all.slice(at, at + MAX_AT_ONCE);
}
