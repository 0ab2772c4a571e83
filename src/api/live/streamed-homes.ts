import type { StreamOwner } from '#src/api/stream-limits.ts';
import type { Caller } from '#src/auth/authenticate.ts';
import type { DeviceLastSeenTime, LatestChannelValue, LatestDeviceValues } from '#src/devices/live.ts';
import type { Home as HomeParts } from '#src/energy/home/home.ts';
import { computeMeasuredPower } from '#src/energy/period/power-now.ts';
import { formatServerSentEvent, type ServerSentEventWriter } from './server-sent-events.ts';
import { formatStreamPosition, isNextStreamEvent, type StreamPosition } from './stream-position.ts';

export interface UsageStreamRequest {
  caller: Caller;
  /** The account whose home the stream reports. */
  userId: string;
  /** Id of a device, if the stream reports only that device's readings; undefined for all devices of the home. */
  deviceId: string | undefined;
  /** Header `Last-Event-ID` that a reconnecting client has sent. */
  lastEventId: string | undefined;
}

export interface OpenUsageStream extends UsageStreamRequest {
  owner: StreamOwner;
  outlet: ServerSentEventWriter;
  /** Last usage event of the home that was sent to this stream. Null if the stream sends no usage events. */
  place: StreamPosition | null;
}

type Parts = Pick<HomeParts, 'devices' | 'stretches'>;

/** A home about which at least one open stream of this process reports. */
interface Home {
  followers: Set<OpenUsageStream>;
  /** Latest reading of each device as the text of an event, by device. Null for a device without energy readings (a thermostat). */
  devices: Map<string, { seenAtMicros: number; text: string | null }>;
  /**
   * Latest values of each device, and the devices with their places in the home (`parts`). The home's measured power is computed
   * from both.
   */
  channels: Map<string, readonly LatestChannelValue[]>;
  parts: (Parts & { loadedAtMs: number }) | null;
  /** Text of the latest event that reported the home's measured power. */
  power: string | null;
}

/** Time in ms for which a home's devices are cached. It is short, because the owner may change them. */
const PARTS_MS = 5_000;
/** Maximum number of devices in the stream of a whole home. */
const MAX_DEVICES = 500;

/** The homes about which open streams of this process report, and the latest events that these streams have received. */
export class StreamedHomes {
  readonly #homes = new Map<string, Home>();

  get userIds(): string[] {
    return [...this.#homes.keys()];
  }

  get followers(): OpenUsageStream[] {
    return [...this.#homes.values()].flatMap((home) => [...home.followers]);
  }

  get isEmpty(): boolean {
    return this.#homes.size === 0;
  }

  /**
   * Adds a stream, and sends it the home's latest readings and power. The stream is removed when it closes. Returns whether the
   * home had no stream before.
   */
  add(follower: OpenUsageStream, now: Date): boolean {
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

  /** Removes devices that were deleted or moved to another account. */
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
   * Returns the devices with a new reading. Of a home with more than `MAX_DEVICES` devices, further devices are returned only if
   * a stream reports them individually.
   */
  news(seen: readonly DeviceLastSeenTime[]): DeviceLastSeenTime[] {
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

  /**
   * Stores the latest reading of a device and sends it to the home's streams. Ignores a reading that a concurrent query has
   * already sent.
   */
  takeReading({ userId, deviceId, seenAtMicros }: DeviceLastSeenTime, reading: LatestDeviceValues | undefined): void {
    const home = this.#homes.get(userId);
    if (!home || (home.devices.get(deviceId)?.seenAtMicros ?? 0) >= seenAtMicros) return;
    const text = reading ? formatServerSentEvent('reading', reading) : null;
    home.devices.set(deviceId, { seenAtMicros, text });
    home.channels.set(deviceId, reading?.channels ?? []);
    for (const one of home.followers) sendReading(one, deviceId, text);
  }

  /** Returns the homes whose cached devices are too old. `atMs`: monotonic clock. */
  withStaleParts(userIds: readonly string[], atMs: number): string[] {
    return userIds.filter((userId) => atMs - (this.#homes.get(userId)?.parts?.loadedAtMs ?? -PARTS_MS) >= PARTS_MS);
  }

  takeParts(userId: string, { devices, stretches }: Parts, loadedAtMs: number): void {
    const home = this.#homes.get(userId);
    if (home) home.parts = { devices, stretches, loadedAtMs };
  }

  /** Sends the measured power of a home to the home's streams if the power has changed. */
  sendPower(userId: string, now: Date): void {
    const home = this.#homes.get(userId);
    const text = home && powerText(userId, home, now);
    if (!home || !text || home.power === text) return;
    home.power = text;
    for (const one of home.followers) sendPower(one, text);
  }

  /**
   * Returns, for each home, the usage event after which the next query must begin. Ignores streams whose clients read too slowly.
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
   * Sends a usage event of a home to each stream that has room and whose next event it is. Other streams receive the event after a later
   * query.
   */
  takeUsage(userId: string, event: { afterId: string; eventId: string }, data: unknown): void {
    for (const { place, outlet } of this.#homes.get(userId)?.followers ?? []) {
      if (!place || !isNextStreamEvent(place.eventId, event) || !outlet.hasRoom()) continue;
      place.eventId = event.eventId;
      outlet.send(formatServerSentEvent('usage', data, formatStreamPosition(place)));
    }
  }
}

function powerText(userId: string, { parts, channels }: Home, now: Date): string | null {
  const power = parts && computeMeasuredPower(parts, channels, now.getTime());
  return power && formatServerSentEvent('power', { user_id: userId, power_w: power.watts, power_at: power.at });
}

function sendPower({ deviceId, outlet }: OpenUsageStream, text: string): void {
  if (deviceId === undefined) outlet.sendLatest('power', text);
}

function sendReading({ deviceId, outlet }: OpenUsageStream, ofDevice: string, text: string | null): void {
  if (text !== null && (deviceId === undefined || deviceId === ofDevice)) outlet.sendLatest(ofDevice, text);
}
