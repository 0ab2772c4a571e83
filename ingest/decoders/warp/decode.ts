import type { DecoderSettings, DeviceMessage, Family, FamilyDecodeResult, ValueKind } from '../family.ts';
import { asObjectOrNull, getMember, type Json, readJson } from '../read/payload.ts';
import { createEmptyResult, createRefusedResult, createValueCollector } from '../read/value-collector.ts';

type WarpTopic =
  /** The single meter of a charger with earlier firmware (`meter/values`): one object. */
  | { what: 'legacy'; prefix: string }
  /** Topic of the values of the meter in a slot. The payload is a list of values without their ids. */
  | { what: 'values'; prefix: string; slot: number }
  /** Topic of the list of ids of a meter's values. The ids are in the order of the values. */
  | { what: 'ids'; prefix: string; slot: number }
  /** Commands to a WARP Charger, and other topics that are ignored. */
  | { what: 'nothing'; prefix: string };

const LEGACY = /^(.{1,100})\/meter\/values$/;
const METERS = /^(.{1,100})\/meters\/(\d{1,2})\/(values|value_ids|update|reset)$/;
const WISH = /^(.{1,100})\/meter\/(?:values_update|all_values_update|state_update)$/;

/**
 * Parses `warp2/AbCd/meters/0/values` and similar topics; returns null for every other topic. Owners choose the prefix, and other devices
 * use the same levels below it, so `decode` examines the payload, too.
 */
function parseWarpTopic(topic: string): WarpTopic | null {
  const legacy = LEGACY.exec(topic)?.[1];
  if (legacy !== undefined) return { what: 'legacy', prefix: legacy };
  const wish = WISH.exec(topic)?.[1];
  if (wish !== undefined) return { what: 'nothing', prefix: wish };
  const [, prefix, slot, leaf] = METERS.exec(topic) ?? [];
  if (prefix === undefined) return null;
  if (leaf === 'values' || leaf === 'value_ids') {
    return { what: leaf === 'values' ? 'values' : 'ids', prefix, slot: Number(slot) };
  }
  return { what: 'nothing', prefix };
}

interface ValueMeaning {
  channel: string;
  kind: ValueKind;
  name: string;
  /** Whether the owner must state the meaning of the value. */
  asked?: boolean;
}

const register = (channel: string, name: string): ValueMeaning => ({ channel, kind: 'energy_total_kwh', name });
const power = (channel: string, name: string): ValueMeaning => ({ channel, kind: 'power_w', name });
const asked = (channel: string, name: string): ValueMeaning => ({
  ...register(`unknown/${channel}`, name),
  asked: true,
});

/**
 * Meanings of the value ids that are decoded: lifetime registers and instantaneous powers. The id that follows each register's id belongs
 * to a counter that the owner can reset (`Resettable`) and is ignored.
 */
const MEANINGS = new Map<number, ValueMeaning>([
  [39, power('import/l1', 'PowerActiveL1ImExDiff')],
  [48, power('import/l2', 'PowerActiveL2ImExDiff')],
  [57, power('import/l3', 'PowerActiveL3ImExDiff')],
  [74, power('import', 'PowerActiveLSumImExDiff')],
  [161, register('import/l1', 'EnergyActiveL1Import')],
  [163, register('export/l1', 'EnergyActiveL1Export')],
  [177, register('import/l2', 'EnergyActiveL2Import')],
  [179, register('export/l2', 'EnergyActiveL2Export')],
  [193, register('import/l3', 'EnergyActiveL3Import')],
  [195, register('export/l3', 'EnergyActiveL3Export')],
  [209, register('import', 'EnergyActiveLSumImport')],
  [211, register('export', 'EnergyActiveLSumExport')],
  // Values of the DC side may belong to either side of the inverter or battery, so the owner is asked.
  [405, asked('dc_import', 'EnergyDCImport')],
  [407, asked('dc_export', 'EnergyDCExport')],
  [413, asked('dc_charge', 'EnergyDCCharge')],
  [415, asked('dc_discharge', 'EnergyDCDischarge')],
  [472, asked('pv_sum_export', 'EnergyPVSumExport')],
]);
/** Id of the sum of import and export. If the meter has no separate import register, the owner is asked about the sum. */
const BOTH_WAYS = 213;
const IMPORT = 209;

/** Returns the meaning of a value's id; null if the value is ignored. `ids`: ids of all values of the meter. */
function meaningOfId(id: number, ids: readonly number[]): ValueMeaning | null {
  if (id === BOTH_WAYS && !ids.includes(IMPORT)) return asked('both_ways', 'EnergyActiveLSumImExSum');
  return MEANINGS.get(id) ?? null;
}

/** Ids of the values of each meter, by topic prefix and slot of the meter. */
type WarpMemory = Map<string, Map<number, readonly number[]>>;

const MAX_PREFIXES = 500;
const MAX_IDS = 500;

/** Stores the list of ids of a meter. An empty list means that the slot has no meter; an invalid list changes nothing. */
function learnIds(memory: WarpMemory, { topic, payload }: DeviceMessage): void {
  const parsed = parseWarpTopic(topic);
  if (parsed?.what !== 'ids') return;
  const ids = readJson(payload);
  if (!Array.isArray(ids) || ids.length > MAX_IDS || !ids.every((id) => Number.isSafeInteger(id) && id >= 0)) return;
  const meters = memory.get(parsed.prefix) ?? new Map<number, readonly number[]>();
  if (ids.length === 0) meters.delete(parsed.slot);
  else meters.set(parsed.slot, ids as number[]);
  if (memory.has(parsed.prefix) || memory.size < MAX_PREFIXES) memory.set(parsed.prefix, meters);
}

/** Decoder of Tinkerforge WARP Chargers and Energy Managers, and of the meters that they read. */
export const warpFamily: Family<WarpMemory> = {
  name: 'warp',
  takes: (topic) => parseWarpTopic(topic) !== null,
  remembers: (topic) => parseWarpTopic(topic)?.what === 'ids',
  newMemory: () => new Map(),
  learn: learnIds,
  decode,
};

function decode(
  { topic, payload }: DeviceMessage,
  _settings: DecoderSettings,
  memory: WarpMemory,
): FamilyDecodeResult | null {
  const parsed = parseWarpTopic(topic);
  if (!parsed) return null;
  const { what, prefix } = parsed;
  const isKnown = memory.has(prefix);
  if (what === 'nothing') return isKnown ? createEmptyResult() : null;
  const body = readJson(payload);
  if (what === 'legacy') {
    const values = asObjectOrNull(body);
    if (values) return isLegacy(values) ? decodeLegacy(values, prefix, isKnown) : null;
    return isKnown ? createEmptyResult() : null;
  }
  if (!Array.isArray(body)) return isKnown ? createRefusedResult('payload is not a list') : null;
  return what === 'ids' ? createEmptyResult() : decodeValues(body, parsed, memory);
}

function decodeValues(
  values: unknown[],
  { prefix, slot }: { prefix: string; slot: number },
  memory: WarpMemory,
): FamilyDecodeResult {
  const collector = createValueCollector();
  const device = slot === 0 ? prefix : `${prefix}/meter${slot}`;
  const ids = memory.get(prefix)?.get(slot);
  if (!ids) {
    if (values.length > 0)
      collector.refuse('no value_ids of this meter yet: let the charger publish them, retained', device);
    return collector;
  }
  if (ids.length !== values.length) {
    collector.refuse(`${values.length} values, and ${ids.length} value_ids`, device);
    return collector;
  }
  ids.forEach((id, index) => {
    const meaning = meaningOfId(id, ids);
    // If the list of ids contains an id twice, only the first of its values is used.
    if (!meaning || ids.indexOf(id) !== index) return;
    const { asked, ...quantity } = meaning;
    collector.add({ ...quantity, device, value: values[index], asks: asked ? { unit: 'kWh' } : undefined });
  });
  return collector;
}

const isLegacy = (values: Json): boolean => Object.hasOwn(values, 'energy_abs') || Object.hasOwn(values, 'energy_rel');

/**
 * Decodes `meter/values` of earlier firmware. Ignores `energy_rel`, which the owner can reset. If the charger also publishes `meters/…`,
 * this topic repeats the same values and is skipped.
 */
function decodeLegacy(values: Json, prefix: string, isKnown: boolean): FamilyDecodeResult {
  if (isKnown) return createEmptyResult();
  const collector = createValueCollector();
  const [total, power] = [getMember(values, 'energy_abs'), getMember(values, 'power')];
  const said = { device: prefix, channel: 'import' };
  collector.add({ ...said, kind: 'energy_total_kwh', value: total, name: 'energy_abs' });
  collector.add({ ...said, kind: 'power_w', value: power, name: 'power' });
  return collector;
}
