import type { StreamOwner } from '#src/api/stream-room.ts';
import type { Caller } from '#src/auth/authenticate.ts';
import type { LastSeenDevice, LiveChannel, LiveReading } from '#src/devices/live.ts';
import type { Home as HomeParts } from '#src/energy/home/home.ts';
import { computeMeasuredPower } from '#src/energy/period/power-now.ts';
import { type EventOutlet, formatEvent } from './outlet.ts';
import { formatStreamPosition, isNextEvent, type StreamPosition } from './place.ts';

/** A request for a stream. */
export interface StreamRequest {
  caller: Caller;
  /** The account whose home is followed. */
  userId: string;
  /** Limits the stream to the readings of this device. */
  deviceId: string | undefined;
  /** `Last-Event-ID` of a client that reconnects. */
  lastEventId: string | undefined;
}

/** An open stream. */
export interface Follower extends StreamRequest {
  owner: StreamOwner;
  outlet: EventOutlet;
  /** Position in the events of the home. Null if the stream has no events of changed hours. */
  place: StreamPosition | null;
}

type Parts = Pick<HomeParts, 'devices' | 'stretches'>;

/** A home with at least one follower at this process. */
interface Home {
  followers: Set<Follower>;
  /** Latest reading of each device as text. Null if it has nothing to send (a thermostat's). */
  devices: Map<string, { seenAtMicros: number; text: string | null }>;
  /**
   * Latest values of the home's devices. The measured power is computed from these, and from the devices and roles
   * below.
   */
  channels: Map<string, readonly LiveChannel[]>;
  parts: (Parts & { loadedAtMs: number }) | null;
  /** Latest event of the home's measured power. */
  power: string | null;
}

/** Maximum age of a home's cached devices and roles, because its owner may have changed a placement. */
const PARTS_MS = 5_000;
/** Maximum number of devices in the stream of a home. Further devices can be followed one by one. */
const MAX_DEVICES = 500;

/** The homes that streams of this process follow, and the events that their followers have received. No I/O except the outlets. */
export class FollowedHomes {
  readonly #homes = new Map<string, Home>();

  get userIds(): string[] {
    return [...this.#homes.keys()];
  }

  get followers(): Follower[] {
    return [...this.#homes.values()].flatMap((home) => [...home.followers]);
  }

  get isEmpty(): boolean {
    return this.#homes.size === 0;
  }

  /**
   * Adds a stream and sends it the latest readings and power. The stream is removed when its outlet closes. Returns whether the home had no
   * follower before.
   */
  add(follower: Follower, now: Date): boolean {
    const { userId, outlet } = follower;
    const known = this.#homes.get(userId);
    const home: Home = known ?? {
      followers: new Set(),
      devices: new Map(),
      channels: new Map(),
      parts: null,
      power: null,
    };
    this.#homes.set(userId, home);
    home.followers.add(follower);
    outlet.stream.once('close', () => {
      home.followers.delete(follower);
      if (home.followers.size === 0 && this.#homes.get(userId) === home) this.#homes.delete(userId);
    });
    for (const [id, { text }] of home.devices) sendReading(follower, id, text);
    const power = powerText(userId, home, now);
    if (power) sendPower(follower, power);
    return known === undefined;
  }

  /**
   * Removes devices that were deleted or moved to another account, because later followers must not receive their
   * readings.
   */
  evictOthers(userIds: readonly string[], deviceIds: ReadonlySet<string>): void {
    for (const { devices, channels } of userIds.flatMap((userId) => this.#homes.get(userId) ?? [])) {
      for (const deviceId of devices.keys()) {
        if (deviceIds.has(deviceId)) continue;
        devices.delete(deviceId);
        channels.delete(deviceId);
      }
    }
  }

  /**
   * Returns the devices with a new reading. Of a home with more than `MAX_DEVICES`, only devices that are followed
   * individually count.
   */
  news(seen: readonly LastSeenDevice[]): LastSeenDevice[] {
    const counts = new Map<string, number>();
    return seen.filter(({ userId, deviceId, seenAtMicros }) => {
      const home = this.#homes.get(userId);
      if (!home) return false;
      const position = (counts.get(userId) ?? 0) + 1;
      counts.set(userId, position);
      if (position > MAX_DEVICES && ![...home.followers].some((one) => one.deviceId === deviceId)) return false;
      return (home.devices.get(deviceId)?.seenAtMicros ?? 0) < seenAtMicros;
    });
  }

  /** Stores and sends the latest reading of a device, unless a concurrent query has stored it already. */
  takeReading({ userId, deviceId, seenAtMicros }: LastSeenDevice, reading: LiveReading | undefined): void {
    const home = this.#homes.get(userId);
    if (!home || (home.devices.get(deviceId)?.seenAtMicros ?? 0) >= seenAtMicros) return;
    const text = reading ? formatEvent('reading', reading) : null;
    home.devices.set(deviceId, { seenAtMicros, text });
    home.channels.set(deviceId, reading?.channels ?? []);
    for (const one of home.followers) sendReading(one, deviceId, text);
  }

  /** Returns the homes whose devices and roles must be loaded again. `atMs` is of the monotonic clock, here and below. */
  withStaleParts(userIds: readonly string[], atMs: number): string[] {
    return userIds.filter((userId) => atMs - (this.#homes.get(userId)?.parts?.loadedAtMs ?? -PARTS_MS) >= PARTS_MS);
  }

  takeParts(userId: string, { devices, stretches }: Parts, loadedAtMs: number): void {
    const home = this.#homes.get(userId);
    if (home) home.parts = { devices, stretches, loadedAtMs };
  }

  /** Sends the measured power of a home, if it has changed. */
  sendPower(userId: string, now: Date): void {
    const home = this.#homes.get(userId);
    const text = home && powerText(userId, home, now);
    if (!home || !text || home.power === text) return;
    home.power = text;
    for (const one of home.followers) sendPower(one, text);
  }

  /**
   * Returns, for each home (by user id), the earliest position of its followers whose outlets have room, from which the
   * next query continues.
   */
  usagePlaces(): (readonly [string, string])[] {
    return [...this.#homes].flatMap(([userId, home]) => {
      const places = [...home.followers].flatMap(({ place, outlet }) =>
        place && outlet.hasRoom() ? [place.eventId] : [],
      );
      return places.length === 0 ? [] : [[userId, places.sort()[0] as string] as const];
    });
  }

  /**
   * Sends an event of changed hours to those followers for which it is the next one and whose outlets have room (an
   * outlet without room before the query may have some now). The others keep their position and receive the event
   * later.
   */
  takeUsage(userId: string, event: { afterId: string; eventId: string }, data: unknown): void {
    for (const { place, outlet } of this.#homes.get(userId)?.followers ?? []) {
      if (!place || !isNextEvent(place.eventId, event) || !outlet.hasRoom()) continue;
      place.eventId = event.eventId;
      outlet.send(formatEvent('usage', data, formatStreamPosition(place)));
    }
  }
}

function powerText(userId: string, { parts, channels }: Home, now: Date): string | null {
  const power = parts && computeMeasuredPower(parts, channels, now.getTime());
  return power && formatEvent('power', { user_id: userId, power_w: power.watts, power_at: power.at });
}

function sendPower({ deviceId, outlet }: Follower, text: string): void {
  if (deviceId === undefined) outlet.sendLatest('power', text);
}

function sendReading({ deviceId, outlet }: Follower, ofDevice: string, text: string | null): void {
  if (text !== null && (deviceId === undefined || deviceId === ofDevice)) outlet.sendLatest(ofDevice, text);
}
