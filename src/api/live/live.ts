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
import { idOfPlace, placeOfId } from './place.ts';

/** What `GET /v1/usage/stream` needs: whoever follows homes at this process. */
export interface Live {
  /** Begins a stream of a home, or of one of its devices. 429 where the account has its share of streams here, 503 where there is no room. */
  open(asked: Asked): Promise<Readable>;
  /** How many are open. */
  count(): number;
  /** Ends every stream, and those that come later at once: their clients are to go elsewhere. */
  handOn(): void;
  stop(): void;
}

interface Asked {
  caller: Caller;
  /** Whose home. */
  userId: string;
  /** This device's readings, and nothing else. */
  deviceId: string | undefined;
  /** Where it was before it broke off: `Last-Event-ID`. */
  lastEventId: string | undefined;
}

interface Follower extends Asked {
  owner: StreamOwner;
  outlet: Outlet;
  /** Where it is in the events of the home; null: it is told none. */
  place: { sinceMs: number; eventId: string } | null;
}

/** A home that somebody follows here: what its devices told last, as it is said; null: nothing that is said (a thermostat's). */
interface Home {
  followers: Set<Follower>;
  devices: Map<string, { seenAtMicros: number; text: string | null }>;
  /** The latest values of its devices, and of what devices it is made of: its measured power follows from them. */
  channels: Map<string, readonly ToldChannel[]>;
  parts: (Pick<HomeParts, 'devices' | 'stretches'> & { loadedAtMs: number }) | null;
  /** The latest event of its measured power. */
  power: string | null;
}

/** How often it is looked what is new: once for all of this process, and not with every batch of readings (decision 0023). */
const LOOK_MS = 1_000;
/** Reads of a revoked key end within 10 s, so a check that could not be made in this time ends them, too. */
const CHECK = { everyMs: 3_000, withinMs: 9_000 };
/** What a home is made of is loaded again after this time: its owner may have moved a device. */
const PARTS_MS = 5_000;
/** Proxies close connections that are silent for a minute, some after half of one. */
const BEAT_MS = 15_000;
/** Devices of a home; one beyond can be followed by itself. */
const MAX_DEVICES = 500;
/** Devices of which readings are read, and homes of which events are, in one statement. */
const MAX_AT_ONCE = 200;
/** How long a client waits before it comes again, spread so that those of a process do not come together. */
const RETRY_MS = { least: 1_000, spread: 4_000 };
/** How long a client has to read that its stream has ended, when the process ends. */
const UNREAD_END_MS = 1_000;

const retryText = (): string => `retry: ${Math.round(RETRY_MS.least + Math.random() * RETRY_MS.spread)}\n\n`;

/**
 * Follows homes for clients: one look a second for all of them, at what changed in the heads of their devices and in the outbox. Nothing is
 * written for a reading, and nothing asked for a connection. A standby answers, where there is one; whether somebody may go on is the
 * primary's to say.
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
        // Another look may have had it meanwhile.
        if (!home || (home.devices.get(deviceId)?.seenAtMicros ?? 0) >= seenAtMicros) continue;
        const reading = readings.get(deviceId);
        const text = reading ? eventText('reading', reading) : null;
        home.devices.set(deviceId, { seenAtMicros, text });
        home.channels.set(deviceId, reading?.channels ?? []);
        for (const one of home.followers) tellReading(one, deviceId, text);
      }
    }
    await tellPower(from, [...new Set(heard.map(({ userId }) => userId))]);
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

  /** Sends the measured power of homes of which a device was heard, where it has changed. */
  async function tellPower(from: Database, userIds: readonly string[]): Promise<void> {
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
      for (const one of home.followers) tellPowerTo(one, text);
    }
  }

  function powerText(userId: string, { parts, channels }: Home): string | null {
    const power = parts && measuredPower(parts, channels, clock().getTime());
    return power && eventText('power', { user_id: userId, power_w: power.watts, power_at: power.at });
  }

  function tellPowerTo({ deviceId, outlet }: Follower, text: string): void {
    if (deviceId === undefined) outlet.sayNewest('power', text);
  }

  /** Whether a device was heard of since this process looked; of a home with very many devices only of those that are followed. */
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

  function tellReading({ deviceId, outlet }: Follower, told: string, text: string | null): void {
    if (text !== null && (deviceId === undefined || deviceId === told)) outlet.sayNewest(told, text);
  }

  /** Tells of changed hours whoever has read what came before: of the others nothing is lost, and they go on where they are. */
  async function tellUsage(): Promise<void> {
    const ready = [...homes].flatMap(([userId, home]) => {
      const places = [...home.followers].flatMap(({ place, outlet }) =>
        place && outlet.hasRoom() ? [place.eventId] : [],
      );
      return places.length === 0 ? [] : [[userId, places.sort()[0] as string] as const];
    });
    for (const some of chunks(ready)) {
      for (const { event_id, user_id, data } of await usageAfter(newest(), new Map(some))) {
        for (const { place, outlet } of homes.get(user_id)?.followers ?? []) {
          if (!place || place.eventId >= event_id || !outlet.hasRoom()) continue;
          place.eventId = event_id;
          outlet.say(eventText('usage', data, idOfPlace(place)));
        }
      }
    }
  }

  /** Ends the streams of those that may not go on, and of all where that cannot be told. */
  async function check(): Promise<void> {
    const all = followers();
    try {
      if (all.length > 0) {
        const nowMs = performance.now();
        const gone = new Set(await noLongerAllowed(db, all, { scope: STREAM_SCOPE, now: clock() }));
        const byKey = all.filter(({ caller }) => caller.by === 'key').map(({ caller }) => caller.userId);
        const suspended = await counter.suspended([...new Set(byKey)]);
        for (const one of all)
          if (gone.has(one) || (one.caller.by === 'key' && suspended.has(one.caller.userId))) end(one);
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
      // The database is away: whoever follows hears of it when it is back.
      await run().catch(() => reads?.failed());
      if (!isStopped) timer = setTimeout(turn, Math.max(everyMs / 2, everyMs - (performance.now() - fromMs)));
    };
    timer = setTimeout(turn, everyMs);
    return () => clearTimeout(timer);
  };
  const look = async () => {
    if (homes.size === 0) return;
    await lookAt([...homes.keys()]);
    await tellUsage();
  };
  const timers = [again(look, LOOK_MS), again(check, CHECK.everyMs)];
  const beating = setInterval(() => {
    for (const { outlet } of followers()) outlet.say(': heartbeat\n\n');
  }, BEAT_MS);

  /** Where it goes on, and whether that is where it was. */
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
      // What others opened meanwhile counts, too.
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
      for (const [id, { text }] of home.devices) tellReading(follower, id, text);
      const power = powerText(userId, home);
      if (power) tellPowerTo(follower, power);
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
      // Of those whose clients do not read their end.
      setTimeout(() => {
        for (const { outlet } of followers()) outlet.stream.destroy();
      }, UNREAD_END_MS).unref();
    },
  };
}

/** What a key must be allowed to do. */
export const STREAM_SCOPE = 'insights:read' as const;

function* chunks<One>(all: readonly One[]): Generator<One[]> {
  for (let at = 0; at < all.length; at += MAX_AT_ONCE) yield all.slice(at, at + MAX_AT_ONCE);
}
