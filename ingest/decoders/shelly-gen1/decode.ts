import type { DecoderSettings, DeviceMessage, Family, Heard } from '../family.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { readObject, readText } from '../read/payload.ts';
import { type Gen1Memory, isNewToGen1, learnGen1, newGen1Memory, remembersGen1 } from './memory.ts';
import { parseShellyGen1Topic, type ShellyGen1Topic } from './topic.ts';
import { readValve, temperatureOf } from './valve.ts';

/** Relays count Watt-minutes. */
const WATT_MINUTES_PER_KWH = 60_000;
const WH_PER_KWH = 1_000;

/** Shelly Gen1: one text on each topic, power and registers of relays, rollers, lights and clamps, and room climate. */
export const shellyGen1: Family<Gen1Memory> = {
  name: 'shelly-gen1',
  takes: (topic) => parseShellyGen1Topic(topic) !== null,
  remembers: remembersGen1,
  newMemory: newGen1Memory,
  isNews: isNewToGen1,
  learn: learnGen1,
  decode,
};

function decode({ topic, payload }: DeviceMessage, _settings: DecoderSettings, memory: Gen1Memory): Heard | null {
  const parsed = parseShellyGen1Topic(topic);
  if (!parsed) return null;
  // `shellies/{name}/online` of a Gen2 device whose owner has called it so.
  if (parsed.leaf === 'online' && memory.gen2.has(`shellies/${parsed.device}`)) return null;
  // Nothing at all: somebody takes a kept message back.
  if (parsed.leaf === 'other' || payload.length === 0) return nothing();
  if (parsed.leaf === 'info') return decodeInfo(payload, parsed.device);
  if (parsed.leaf === 'meter') return decodeMeter(payload, parsed);
  const text = readText(payload);
  if (text === null) return refusal('payload is not text');
  const heard = hearing();
  const { device, leaf: name } = parsed;
  if (name === 'online') heard.addState({ device, channel: 'device', kind: 'availability', value: text, name });
  else {
    const value = temperatureOf(text, memory.unitOf.get(device) ?? 'C');
    heard.add({ device, channel: 'room', kind: 'temperature_c', value, name });
  }
  return heard;
}

function decodeInfo(payload: Buffer, device: string): Heard {
  const info = readObject(payload);
  if (!info) return refusal('payload is not a JSON object');
  const heard = hearing();
  readValve(heard, device, info);
  return heard;
}

/**
 * A clamp keeps `total` and `total_returned` in its flash; its `energy` beside them is the same since the last start, and
 * is not read. Relays have nothing but `energy`.
 */
function decodeMeter(
  payload: Buffer,
  { device, part, index, quantity }: Extract<ShellyGen1Topic, { leaf: 'meter' }>,
): Heard {
  const clamp = part === 'emeter';
  const register = clamp ? quantity.startsWith('total') : quantity === 'energy';
  if (!register && quantity !== 'power') return nothing();
  const value = readText(payload);
  if (value === null) return refusal('payload is not text');
  const heard = hearing();
  const direction = quantity === 'total_returned' ? 'export' : 'import';
  const channel = `${part === 'relay' ? 'switch' : part}${index}/${direction}`;
  const name = index === '' ? `${part}/${quantity}` : `${part}/${index}/${quantity}`;
  if (!register) heard.add({ device, channel, kind: 'power_w', value, name });
  else {
    const per = clamp ? WH_PER_KWH : WATT_MINUTES_PER_KWH;
    heard.add({ device, channel, kind: 'energy_total_kwh', value, per, name });
  }
  return heard;
}
