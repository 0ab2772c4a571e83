import type { DecodedReading } from '#ingest/decoders/decoder.ts';
import type { RegisterDescription } from '#ingest/decoders/registers-of-a-device/register.ts';
import { compareSeriesReadings, type SeriesReading } from '#ingest/normalise/counting-rule.ts';
import { getReadingKey } from '#ingest/normalise/replay.ts';
import type { IncomingMessage, Rejection } from '../message.ts';
import { type DeviceState, formatSeriesName } from './device-state.ts';

/** Maximum time by which a reading may be later than its receipt, ms: the clock of a device may be fast. */
const FUTURE_MS = 5 * 60_000;

export interface NewReading extends SeriesReading {
  message: IncomingMessage;
  element: number;
  /** Whether this reading has replaced a reading of the same batch that had the same time and a higher value. */
  isLowerKept?: true;
}

/** New readings of one series, in order of time. There is at most one reading for each time and interval length. */
export interface SeriesBatch {
  channel: string;
  kind: string;
  points: NewReading[];
  /** The name and the unit that the device itself gives to the series; see `DecodedReading`. */
  native?: string | undefined;
  unit?: string | null | undefined;
  described?: RegisterDescription | undefined;
}

export interface CollectedReadings {
  /** New readings of each device, by device_id and then by the name of the series. */
  series: Map<string, Map<string, SeriesBatch>>;
  rejects: Rejection[];
  duplicates: number;
}

/** Reason of a rejection if a device sent two different values for the same time. The lower value is stored (counting rules). */
export const CONFLICTING_VALUE_REASON = 'another value for the same time: the lower one stays';

/**
 * Returns the reason why a reading's time is invalid; null if the time is valid. `receivedAtMs`: time at which the message was received.
 * `oldestMs`: start of the retention period. Both are Unix times in ms.
 */
export function explainInvalidTime(reading: DecodedReading, receivedAtMs: number, oldestMs: number): string | null {
  if (reading.readAtMs > receivedAtMs + FUTURE_MS) return 'time is more than 5 minutes in the future';
  if (reading.readAtMs < oldestMs) return 'time is older than the retention';
  return null;
}

/**
 * Returns the lower of two readings that have the same time. If the values are equal, the other reading counts as a duplicate; otherwise it
 * is rejected.
 */
function keepLower(stored: NewReading, next: NewReading, collected: CollectedReadings): NewReading {
  if (stored.value === next.value) {
    collected.duplicates++;
    return stored;
  }
  const [lower, higher] = next.value < stored.value ? [next, stored] : [stored, next];
  collected.rejects.push({ message: higher.message, element: higher.element, reason: CONFLICTING_VALUE_REASON });
  return { ...lower, isLowerKept: true };
}

/**
 * Groups the readings of a batch by device and series. Pure. Rejects readings whose time is in the future or before the retention period
 * (`oldestMs`, Unix ms). If a series has two values for the same time, the lower is used; the other is a duplicate if it is equal,
 * otherwise it is rejected.
 */
export function collectReadings(batch: readonly IncomingMessage[], oldestMs: number): CollectedReadings {
  const collected: CollectedReadings = { series: new Map(), rejects: [], duplicates: 0 };
  const outOfOrder = new Set<SeriesBatch>();
  for (const message of batch) {
    for (const { element, reason } of message.decoded.rejections) {
      collected.rejects.push({ message, element, reason });
    }
    for (const reading of message.decoded.readings) {
      const reason = explainInvalidTime(reading, message.judgedAtMs ?? message.receivedAtMs, oldestMs);
      if (reason) {
        collected.rejects.push({ message, element: reading.element, reason });
        continue;
      }
      const { deviceId, channel, kind, readAtMs, intervalMs, value, element } = reading;
      const name = formatSeriesName(channel, kind);
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
  // In nearly all batches, the readings of a series have distinct times and are in order. Only other series need a lookup by time.
  for (const series of outOfOrder) series.points = onePerKey(series.points, collected);
  return collected;
}

/** Sorts readings by time, and returns one reading for each time. */
function onePerKey(points: readonly NewReading[], collected: CollectedReadings): NewReading[] {
  const byKey = new Map<string, NewReading>();
  for (const point of points) {
    const key = getReadingKey(point);
    const stored = byKey.get(key);
    byKey.set(key, stored ? keepLower(stored, point, collected) : point);
  }
  return [...byKey.values()].sort(compareSeriesReadings);
}

/**
 * Default maximum number of channels of a device (MAX_CHANNELS). The number is limited because all channels of a device are loaded,
 * classified and listed together.
 */
export const DEFAULT_MAX_CHANNELS = 64;

/**
 * Removes the readings of new channels if the batch would give a device more channels than the maximum, and returns these readings as
 * rejections. Readings of channels that the device already has are always accepted.
 */
export function rejectChannelsBeyondLimit(
  devices: ReadonlyMap<string, Pick<DeviceState, 'series'>>,
  collected: CollectedReadings,
  maxChannels: number,
): Rejection[] {
  const rejects: Rejection[] = [];
  for (const [deviceId, arrived] of collected.series) {
    const device = devices.get(deviceId);
    const fresh = device
      ? [...arrived.values()].filter((one) => !device.series.has(formatSeriesName(one.channel, one.kind)))
      : [];
    if (!device || fresh.length === 0) continue;
    const channels = new Set([...device.series.values()].map(({ channel }) => channel));
    for (const { channel, kind, points } of fresh) {
      if (channels.has(channel)) continue;
      if (channels.size < maxChannels) {
        channels.add(channel);
        continue;
      }
      arrived.delete(formatSeriesName(channel, kind));
      const reason = `more than ${maxChannels} channels of one device (MAX_CHANNELS)`;
      for (const { message, element } of points) rejects.push({ message, element, reason });
    }
  }
  return rejects;
}
