import type { DecodedReading } from '#ingest/decoders/decoder.ts';
import type { RegisterDescription } from '#ingest/decoders/registers-of-a-device/register.ts';
import { compareSeriesReadings, type SeriesReading } from '#ingest/normalise/counting-rule.ts';
import { getReadingKey } from '#ingest/normalise/replay.ts';
import type { IncomingMessage, Rejection } from '../message.ts';
import { type DeviceState, formatSeriesName } from './device-state.ts';

/** Maximum time in ms by which a timestamp may be later than the receipt of its message, because a device's clock may be fast. */
const FUTURE_MS = 5 * 60_000;

export interface NewReading extends SeriesReading {
  message: IncomingMessage;
  element: number;
  /** Whether this reading has replaced a higher value for the same time in the same batch. */
  isLowerKept?: true;
}

/** New readings of one series in order of time, at most one per time and interval length. */
export interface SeriesBatch {
  channel: string;
  kind: string;
  points: NewReading[];
  native?: string | undefined;
  unit?: string | null | undefined;
  described?: RegisterDescription | undefined;
}

export interface CollectedReadings {
  /** New readings by device_id and then by the name of the series. */
  series: Map<string, Map<string, SeriesBatch>>;
  rejects: Rejection[];
  duplicates: number;
}

export const CONFLICTING_VALUE_REASON = 'another value for the same time: the lower one stays';

/** Returns the reason why a reading's time is invalid, or null. `oldestMs`: start of the retention period. Times are in Unix ms. */
export function explainInvalidTime(reading: DecodedReading, receivedAtMs: number, oldestMs: number): string | null {
  if (reading.readAtMs > receivedAtMs + FUTURE_MS) return 'time is more than 5 minutes in the future';
  if (reading.readAtMs < oldestMs) return 'time is older than the retention';
  return null;
}

/**
 * Returns the lower of two readings for the same time. The other one counts as a duplicate if the values are equal, otherwise as rejected.
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
 * Groups the readings of a batch by device and series. Rejects readings in the future and before the retention period (`oldestMs`, Unix
 * ms). Of two values for the same time, the lower one is used.
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
  // Readings nearly always arrive in order, so only other series are sorted.
  for (const series of outOfOrder) series.points = onePerKey(series.points, collected);
  return collected;
}

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
 * Default maximum number of channels per device (MAX_CHANNELS). The number is limited, because all channels of a device are loaded
 * together.
 */
export const DEFAULT_MAX_CHANNELS = 64;

/** Removes readings of new channels if the device would get more channels than the maximum. Returns these readings as rejections. */
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
