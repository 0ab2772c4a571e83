import { kwhToMilliwattHours, scaleAndRound } from '#src/core/units.ts';
import type { DecodedMessage, DecodedReading, QuantityKind } from '../decoders/decoder.ts';
import type { DecodedValue, FamilyDecodeResult, ValueKind } from '../decoders/family.ts';

const KINDS: Record<Exclude<ValueKind, 'availability'>, { kind: QuantityKind; whole(value: number): number }> = {
  energy_total_kwh: { kind: 'register', whole: kwhToMilliwattHours },
  energy_interval_kwh: { kind: 'interval', whole: kwhToMilliwattHours },
  // Volumes of gas, heat and water are converted from m³ to whole cm³, as kWh are converted to whole mWh.
  volume_total_m3: { kind: 'register', whole: (cubicMetres) => scaleAndRound(cubicMetres, 6) },
  power_w: { kind: 'power', whole: (watts) => scaleAndRound(watts, 3) },
  temperature_c: { kind: 'temperature', whole: (degrees) => scaleAndRound(degrees, 3) },
  setpoint_c: { kind: 'setpoint', whole: (degrees) => scaleAndRound(degrees, 3) },
  heating: { kind: 'heating', whole: (state) => state },
};

export const getStoredValueKind = (kind: string): string =>
  Object.hasOwn(KINDS, kind) ? KINDS[kind as keyof typeof KINDS].kind : kind;

/**
 * Converts the decoded quantities of one device into a message for the writer. A quantity without a timestamp gets the time of receipt.
 * Interval energy without a timestamp is rejected, because a repeated message could not be distinguished from new energy.
 */
export function createDecodedMessage(
  deviceId: string,
  values: readonly DecodedValue[],
  receivedAtMs: number,
): DecodedMessage {
  const decoded: DecodedMessage = { deviceId, readings: [], rejections: [] };
  values.forEach(({ channel, kind, value, atMs, intervalMs = 0, native, asks, described }, element) => {
    if (kind === 'availability') {
      decoded.status = value ? 'online' : 'offline';
    } else if (kind === 'energy_interval_kwh' && atMs === null) {
      decoded.rejections.push({ element, reason: 'energy of an interval without a time of its own' });
    } else {
      const { kind: stored, whole } = KINDS[kind];
      const reading: DecodedReading = {
        deviceId,
        channel,
        kind: stored,
        readAtMs: atMs ?? receivedAtMs,
        intervalMs,
        value: whole(Number(value)),
        element,
        native: shownName(native),
      };
      if (atMs === null) reading.isUntimed = true;
      if (asks) reading.unit = asks.unit;
      if (described) reading.described = described;
      decoded.readings.push(reading);
    }
  });
  return decoded;
}

const MAX_NAME = 200;
const shownName = (name: string): string => name.slice(0, MAX_NAME).replaceAll(/\p{C}/gu, '?');

/** Returns the native ids of all devices in a message. Includes devices of which the message has only an unusable quantity. */
export const listDiscoveredNativeIds = ({ said, seen = [] }: FamilyDecodeResult): Set<string> =>
  new Set([...said.filter(({ kind }) => kind !== 'availability').map(({ device }) => device), ...seen]);
