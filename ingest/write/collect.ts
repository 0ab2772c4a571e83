import type { DecodedReading } from '#ingest/decoders/decoder.ts';
import type { Described } from '#ingest/decoders/registers-of-a-device/register.ts';
import { comparePoints, type Point } from '#ingest/normalise/law.ts';
import { pointKey } from '#ingest/normalise/replay.ts';
import type { IncomingMessage, Reject } from '../message.ts';
import { type DeviceState, seriesName } from './device-state.ts';

/** How far a device's clock may run ahead. */
const FUTURE_MS = 5 * 60_000;

/** A point on its way into a series, and the message it came in. */
export interface NewPoint extends Point {
  message: IncomingMessage;
  element: number;
}

/** New readings of one series, ordered, one per key. */
export interface SeriesBatch {
  channel: string;
  kind: string;
  points: NewPoint[];
  /** How the device calls it, and its unit: `DecodedReading`. */
  native?: string | undefined;
  unit?: string | null | undefined;
  described?: Described | undefined;
}

export interface Collected {
  /** By device_id, and by the name of the series. */
  series: Map<string, Map<string, SeriesBatch>>;
  rejects: Reject[];
  duplicates: number;
}

/** The reason a reading loses against another value for the same time; the lower stays (law of consumption). */
export const CONFLICT = 'another value for the same time: the lower one stays';

/** Why a reading's time cannot be; null: it can. `receivedAtMs`: the clock by which it is judged. `oldestMs`: start of the retention, in Unix ms. */
export function timeFault(reading: DecodedReading, receivedAtMs: number, oldestMs: number): string | null {
  if (reading.readAtMs > receivedAtMs + FUTURE_MS) return 'time is more than 5 minutes in the future';
  if (reading.readAtMs < oldestMs) return 'time is older than the retention';
  return null;
}

/** Keeps the lower of two readings for one time. */
function keepLower(kept: NewPoint, next: NewPoint, collected: Collected): NewPoint {
  if (kept.value === next.value) {
    collected.duplicates++;
    return kept;
  }
  const [lower, higher] = next.value < kept.value ? [next, kept] : [kept, next];
  collected.rejects.push({ message: higher.message, element: higher.element, reason: CONFLICT });
  return lower;
}

/**
 * Sorts a batch of messages into series. Pure: a reading from the future or from before the retention, and the higher
 * of two values for one time, come back as rejects; equal ones as duplicates.
 * `oldestMs`: start of the retention, in Unix ms.
 */
export function collect(batch: readonly IncomingMessage[], oldestMs: number): Collected {
  const collected: Collected = { series: new Map(), rejects: [], duplicates: 0 };
  const outOfOrder = new Set<SeriesBatch>();
  for (const message of batch) {
    for (const { element, reason } of message.decoded.rejections) {
      collected.rejects.push({ message, element, reason });
    }
    for (const reading of message.decoded.readings) {
      const reason = timeFault(reading, message.judgedAtMs ?? message.receivedAtMs, oldestMs);
      if (reason) {
        collected.rejects.push({ message, element: reading.element, reason });
        continue;
      }
      const { deviceId, channel, kind, readAtMs, intervalMs, value, element } = reading;
      const name = seriesName(channel, kind);
      let ofDevice = collected.series.get(deviceId);
      if (!ofDevice) {
        ofDevice = new Map();
        collected.series.set(deviceId, ofDevice);
      }
      const series = ofDevice.get(name);
      if (!series) {
        const { native, unit, described } = reading;
        ofDevice.set(name, {
          channel,
          kind,
          native,
          unit,
          described,
          points: [{ readAtMs, intervalMs, value, message, element }],
        });
        continue;
      }
      const last = series.points.at(-1);
      if (last && last.readAtMs >= readAtMs) outOfOrder.add(series);
      series.points.push({ readAtMs, intervalMs, value, message, element });
    }
  }
  // Nearly always they come in order, each with a time of its own: then there is nothing to look up.
  for (const series of outOfOrder) series.points = onePerKey(series.points, collected);
  return collected;
}

/** Of several readings for one time the one that counts, in order of time. */
function onePerKey(points: readonly NewPoint[], collected: Collected): NewPoint[] {
  const byKey = new Map<string, NewPoint>();
  for (const point of points) {
    const key = pointKey(point);
    const kept = byKey.get(key);
    byKey.set(key, kept ? keepLower(kept, point, collected) : point);
  }
  return [...byKey.values()].sort(comparePoints);
}

/** Most channels of a device (MAX_CHANNELS): what stands of it is loaded, chosen from and listed as a whole. */
export const MAX_CHANNELS = 64;

/**
 * Takes readings of channels beyond the limit out of a batch, and answers them as rejections. Those that a device has had before go
 * on, however many they are.
 */
export function refuseFurtherChannels(
  devices: ReadonlyMap<string, Pick<DeviceState, 'series' | 'rest'>>,
  collected: Collected,
  most: number,
): Reject[] {
  const rejects: Reject[] = [];
  for (const [deviceId, arrived] of collected.series) {
    const device = devices.get(deviceId);
    const fresh = device
      ? [...arrived.values()].filter((one) => !device.series.has(seriesName(one.channel, one.kind)))
      : [];
    if (!device || fresh.length === 0) continue;
    const channels = new Set([...device.series.values()].map(({ channel }) => channel));
    // Of a device that is loaded in part, those that the batch names are among them.
    const others = device.rest ? (device.rest.channels ?? 0) - channels.size : 0;
    for (const { channel, kind, points } of fresh) {
      if (channels.has(channel)) continue;
      if (others + channels.size < most) {
        channels.add(channel);
        continue;
      }
      arrived.delete(seriesName(channel, kind));
      const reason = `more than ${most} channels of one device (MAX_CHANNELS)`;
      for (const { message, element } of points) rejects.push({ message, element, reason });
    }
  }
  return rejects;
}
