import type { Heard, SaidKind } from '../family.ts';
import { decodeNative } from './decode.ts';

const KINDS: Record<string, { kind: SaidKind; unit: number }> = {
  register: { kind: 'energy_total_kwh', unit: 1e6 },
  interval: { kind: 'energy_interval_kwh', unit: 1e6 },
  power: { kind: 'power_w', unit: 1e3 },
  temperature: { kind: 'temperature_c', unit: 1e3 },
  setpoint: { kind: 'setpoint_c', unit: 1e3 },
};

/**
 * What a native message says, in the words of the families (humidity, which they do not know, is left out); null for other
 * topics. For `energy decode`; ingest takes native messages as they are.
 */
export function hearNative(message: Parameters<typeof decodeNative>[0]): Heard | null {
  const decoded = decodeNative(message);
  if (!decoded) return null;
  const { deviceId: device, readings, rejections, status } = decoded;
  const said = readings.flatMap(({ channel, kind, value, readAtMs, intervalMs }): Heard['said'] => {
    const at = { device, channel, native: kind, atMs: readAtMs, ...(kind === 'interval' ? { intervalMs } : {}) };
    if (kind === 'heating') return [{ ...at, kind, value: value === 1 }];
    const known = KINDS[kind];
    return known ? [{ ...at, kind: known.kind, value: value / known.unit }] : [];
  });
  const states: Heard['said'] =
    status === undefined || status === 'faulty'
      ? []
      : [{ device, channel: 'device', kind: 'availability', value: status === 'online', atMs: null, native: 'status' }];
  return { said: [...said, ...states], refused: rejections.map(({ reason }) => reason) };
}
