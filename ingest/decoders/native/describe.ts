import { getNativeQuantityName, shouldOwnerSetMeaning } from '#src/devices/channel-name.ts';
import type { FamilyDecodeResult, ValueKind } from '../family.ts';
import { decodeNativeMessage } from './decode.ts';

/**
 * Quantities of native messages (in the service's own format), with the names that other families use for their kind. `asks`: unit in the
 * question to the owner if the channel does not state the meaning.
 */
const KINDS: Record<string, { kind: ValueKind; unit: number; asks: string | null }> = {
  register: { kind: 'energy_total_kwh', unit: 1e6, asks: 'kWh' },
  interval: { kind: 'energy_interval_kwh', unit: 1e6, asks: 'kWh' },
  power: { kind: 'power_w', unit: 1e3, asks: 'W' },
  temperature: { kind: 'temperature_c', unit: 1e3, asks: null },
  setpoint: { kind: 'setpoint_c', unit: 1e3, asks: null },
};

/**
 * Decodes a native message for `energy decode`, into the form in which other families return values. Omits humidity, which other families
 * do not decode. Returns null for other topics. The ingest worker does not use this form.
 */
export function decodeNativeMessageForDisplay(
  message: Parameters<typeof decodeNativeMessage>[0],
): FamilyDecodeResult | null {
  const decoded = decodeNativeMessage(message);
  if (!decoded) return null;
  const { deviceId: device, readings, rejections, status } = decoded;
  const said = readings.flatMap(({ channel, kind, value, readAtMs, intervalMs }): FamilyDecodeResult['said'] => {
    const native = getNativeQuantityName({ channel, kind });
    const at = { device, channel, native, atMs: readAtMs, ...(kind === 'interval' ? { intervalMs } : {}) };
    if (kind === 'heating') return [{ ...at, kind, value: value === 1 }];
    const known = KINDS[kind];
    if (!known) return [];
    const isAsked = known.asks !== null && shouldOwnerSetMeaning(channel);
    return [{ ...at, kind: known.kind, value: value / known.unit, ...(isAsked ? { asks: { unit: known.asks } } : {}) }];
  });
  const states: FamilyDecodeResult['said'] =
    status === undefined || status === 'faulty'
      ? []
      : [{ device, channel: 'device', kind: 'availability', value: status === 'online', atMs: null, native: 'status' }];
  return { said: [...said, ...states], refused: rejections.map(({ reason }) => reason) };
}
