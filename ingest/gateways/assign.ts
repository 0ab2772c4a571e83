import { kwhToMilliwattHours, wholeUnits } from '#src/core/units.ts';
import type { DecodedMessage, DecodedReading, Kind } from '../decoders/decoder.ts';
import type { Heard, Said, SaidKind } from '../decoders/family.ts';

const KINDS: Record<Exclude<SaidKind, 'availability'>, { kind: Kind; whole(value: number): number }> = {
  energy_total_kwh: { kind: 'register', whole: kwhToMilliwattHours },
  energy_interval_kwh: { kind: 'interval', whole: kwhToMilliwattHours },
  // Of gas, heat and water the law reads m³ for kWh: cm³ are stored as mWh are.
  volume_total_m3: { kind: 'register', whole: (cubicMetres) => wholeUnits(cubicMetres, 6) },
  power_w: { kind: 'power', whole: (watts) => wholeUnits(watts, 3) },
  temperature_c: { kind: 'temperature', whole: (degrees) => wholeUnits(degrees, 3) },
  setpoint_c: { kind: 'setpoint', whole: (degrees) => wholeUnits(degrees, 3) },
  heating: { kind: 'heating', whole: (state) => state },
};

/** The kind that is stored of a kind that a message says; one that is not known as it is. */
export const storedKindOf = (said: string): string =>
  Object.hasOwn(KINDS, said) ? KINDS[said as keyof typeof KINDS].kind : said;

/**
 * What a message says of one paired device, for the writer. Pure. `said` is what is its; times that the message does not
 * tell are those of its receipt, but for an interval: its redelivery could not be told from new energy.
 */
export function assign(deviceId: string, said: readonly Said[], receivedAtMs: number): DecodedMessage {
  const decoded: DecodedMessage = { deviceId, readings: [], rejections: [] };
  said.forEach(({ channel, kind, value, atMs, intervalMs = 0, native, asks, described }, element) => {
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
/** A name as it can be stored and shown. */
const shownName = (name: string): string => name.slice(0, MAX_NAME).replaceAll(/\p{C}/gu, '?');

/** Native ids of the devices that a message makes known: those of which it says a quantity, or could. */
export const discoveredIn = ({ said, seen = [] }: Heard): Set<string> =>
  new Set([...said.filter(({ kind }) => kind !== 'availability').map(({ device }) => device), ...seen]);
