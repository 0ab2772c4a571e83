import type { DecoderSettings, DeviceMessage, Family, Heard } from '../family.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { asObject, type Json, member, readJson } from '../read/payload.ts';
import { learnIds, type WarpMemory } from './memory.ts';
import { parseWarpTopic } from './topic.ts';
import { meaningOfId } from './value-ids.ts';

/** WARP Chargers and Energy Managers of Tinkerforge, and the meters that they read. */
export const warp: Family<WarpMemory> = {
  name: 'warp',
  takes: (topic) => parseWarpTopic(topic) !== null,
  remembers: (topic) => parseWarpTopic(topic)?.what === 'ids',
  newMemory: () => new Map(),
  learn: learnIds,
  decode,
};

function decode({ topic, payload }: DeviceMessage, _settings: DecoderSettings, memory: WarpMemory): Heard | null {
  const parsed = parseWarpTopic(topic);
  if (!parsed) return null;
  const { what, prefix } = parsed;
  const isKnown = memory.has(prefix);
  if (what === 'nothing') return isKnown ? nothing() : null;
  const body = readJson(payload);
  if (what === 'legacy') {
    const values = asObject(body);
    if (values) return isLegacy(values) ? decodeLegacy(values, prefix, isKnown) : null;
    return isKnown ? nothing() : null;
  }
  if (!Array.isArray(body)) return isKnown ? refusal('payload is not a list') : null;
  return what === 'ids' ? nothing() : decodeValues(body, parsed, memory);
}

function decodeValues(
  values: unknown[],
  { prefix, slot }: { prefix: string; slot: number },
  memory: WarpMemory,
): Heard {
  const heard = hearing();
  const device = slot === 0 ? prefix : `${prefix}/meter${slot}`;
  const ids = memory.get(prefix)?.get(slot);
  if (!ids) {
    if (values.length > 0)
      heard.refuse('no value_ids of this meter yet: let the charger publish them, retained', device);
    return heard;
  }
  if (ids.length !== values.length) {
    heard.refuse(`${values.length} values, and ${ids.length} value_ids`, device);
    return heard;
  }
  ids.forEach((id, index) => {
    const meaning = meaningOfId(id, ids);
    // A list that names an id twice would say two values of one thing.
    if (!meaning || ids.indexOf(id) !== index) return;
    const { asked, ...quantity } = meaning;
    heard.add({ ...quantity, device, value: values[index], asks: asked ? { unit: 'kWh' } : undefined });
  });
  return heard;
}

const isLegacy = (values: Json): boolean => Object.hasOwn(values, 'energy_abs') || Object.hasOwn(values, 'energy_rel');

/** `energy_rel` starts again whenever its owner likes. Beside `meters/…` all of it is told twice. */
function decodeLegacy(values: Json, prefix: string, isKnown: boolean): Heard {
  if (isKnown) return nothing();
  const heard = hearing();
  const [total, power] = [member(values, 'energy_abs'), member(values, 'power')];
  const said = { device: prefix, channel: 'import' };
  heard.add({ ...said, kind: 'energy_total_kwh', value: total, name: 'energy_abs' });
  heard.add({ ...said, kind: 'power_w', value: power, name: 'power' });
  return heard;
}
