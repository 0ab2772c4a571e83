import type { DeviceMessage, Family, FamilyDecodeResult, ValueKind } from '../family.ts';
import { asObjectOrNull, getMember, readJson, readText } from '../read/payload.ts';
import { createEmptyResult, createRefusedResult, createValueCollector } from '../read/value-collector.ts';

/** Matches a topic of openWB. A bridge may add a prefix before `openWB`. */
const TOPIC = /^((?:.+\/)?openWB)\/(.+)$/;
/**
 * Matches a topic of version 2.x below `openWB`: `counter/0/get/imported`. Does not match topics without an id, because they contain the
 * sum of all components.
 */
const TOPIC_OF_TWO = /^(counter|pv|bat|chargepoint)\/(\d{1,6})\/get\/([a-z_]+)$/;
/** Matches a topic of version 1.9 below `openWB`: `evu/WhImported`, `lp/1/kWhCounter`. */
const TOPIC_OF_ONE = /^(evu|pv|housebattery|lp\/[1-8]|Verbraucher\/[1-9])\/([A-Za-z0-9]+)$/;

/** Type of a component of an openWB installation. */
type Part = 'counter' | 'pv' | 'bat' | 'chargepoint' | 'consumer';
const PARTS_OF_ONE: Readonly<Record<string, Part>> = {
  evu: 'counter',
  pv: 'pv',
  housebattery: 'bat',
  lp: 'chargepoint',
  Verbraucher: 'consumer',
};

interface OpenWbTopic {
  /** Topic of the device, such as `openWB/counter/0` or `openWB/lp/1`. */
  device: string;
  version: 1 | 2;
  part: Part;
  field: string;
}

/**
 * Parses the topic of a component. Returns `other` for all other topics below `openWB/`, including commands (`set/…`) and sums; null for
 * topics elsewhere.
 */
function parseTopic(topic: string): OpenWbTopic | 'other' | null {
  const [, root = '', rest] = TOPIC.exec(topic) ?? [];
  if (rest === undefined) return null;
  const [, part, id, field = ''] = TOPIC_OF_TWO.exec(rest) ?? [];
  if (part) return { device: `${root}/${part}/${id}`, version: 2, part: part as Part, field };
  const [, place, name = ''] = TOPIC_OF_ONE.exec(rest) ?? [];
  if (!place) return 'other';
  return { device: `${root}/${place}`, version: 1, part: PARTS_OF_ONE[place.split('/')[0] ?? ''] as Part, field: name };
}

interface Field {
  channel: string;
  kind: ValueKind;
  per: number;
}

const wattHours = (channel: string): Field => ({ channel, kind: 'energy_total_kwh', per: 1_000 });
const kilowattHours = (channel: string): Field => ({ channel, kind: 'energy_total_kwh', per: 1 });
const watts = (channel: string): Field => ({ channel, kind: 'power_w', per: 1 });

/** Fields of version 2.x. A negative power is fed in, produced or discharged. */
const FIELDS_OF_TWO: ReadonlyMap<string, Field> = new Map([
  ['imported', wattHours('import')],
  ['exported', wattHours('export')],
  ['power', watts('import')],
]);
const FIELDS_OF_ONE: ReadonlyMap<string, Field> = new Map([
  ['WhImported', wattHours('import')],
  ['WhExported', wattHours('export')],
  ['W', watts('import')],
  ['Watt', watts('import')],
  ['WPhase1', watts('import/l1')],
  ['WPhase2', watts('import/l2')],
  ['WPhase3', watts('import/l3')],
]);
/**
 * In version 1.9, the registers of charge points and of inverters have their own names. The register of a charge point is in kWh; the
 * register of an inverter is in Wh.
 */
const CHARGE_POINT = kilowattHours('import');
const INVERTER = wattHours('export');

/** Returns the meaning of a field; undefined for fields that are ignored, including the energy of one day or one charge. */
function fieldOf({ version, part, field }: OpenWbTopic): Field | undefined {
  // The import of an inverter is computed by openWB and not measured.
  if (version === 2) return part === 'pv' && field === 'imported' ? undefined : FIELDS_OF_TWO.get(field);
  if (part === 'chargepoint' && field === 'kWhCounter') return CHARGE_POINT;
  if (part === 'pv' && field === 'WhCounter') return INVERTER;
  return FIELDS_OF_ONE.get(field);
}

const HIERARCHY = /^((?:.+\/)?openWB)\/counter\/get\/hierarchy$/;
/** Maximum number of elements in openWB's hierarchy of components. Installations in homes are smaller. */
const MAX_ELEMENTS = 1_000;

/** Ids of the counters behind the grid meter, by the topic on which openWB publishes its hierarchy. */
type Behind = Map<string, ReadonlySet<string>>;

const isHierarchy = (topic: string): boolean => HIERARCHY.test(topic);

/**
 * Stores the counters behind the grid meter from `[{"id": 0, "type": "counter", "children": […]}]`. The first element is the grid meter,
 * and all its descendants are behind it. The siblings of the first element are stored, too, because openWB does not treat them as grid
 * meters. An invalid hierarchy changes nothing.
 */
function learnHierarchy(memory: Behind, { topic, payload }: DeviceMessage): void {
  const root = HIERARCHY.exec(topic)?.[1];
  const elements = readJson(payload);
  if (root === undefined || !Array.isArray(elements)) return;
  const behind = new Set<string>();
  const [atGrid, ...beside] = elements.slice(0, MAX_ELEMENTS);
  const isCounter = getMember(asObjectOrNull(atGrid), 'type') === 'counter';
  const waiting: unknown[] = isCounter ? [...childrenOf(atGrid), ...beside] : [atGrid, ...beside];
  for (let seen = 0; waiting.length > 0 && seen < MAX_ELEMENTS; seen++) {
    const element = asObjectOrNull(waiting.pop());
    const id = getMember(element, 'id');
    if (getMember(element, 'type') === 'counter' && Number.isSafeInteger(id)) behind.add(`${root}/counter/${id}`);
    waiting.push(...childrenOf(element));
  }
  memory.set(root, behind);
}

/** Whether a device is a counter that openWB's hierarchy places behind the grid meter. */
const isBehind = (memory: Behind, device: string): boolean =>
  memory.get(device.slice(0, device.lastIndexOf('/counter/')))?.has(device) ?? false;

function childrenOf(element: unknown): unknown[] {
  const children = getMember(asObjectOrNull(element), 'children');
  return Array.isArray(children) ? children.slice(0, MAX_ELEMENTS) : [];
}

/** Decoder of openWB 1.9 and 2.x: charge points, and the counters, inverters and batteries around them. */
export const openwbFamily: Family<Behind> = {
  name: 'openwb',
  takes: (topic) => parseTopic(topic) !== null,
  remembers: isHierarchy,
  newMemory: () => new Map(),
  learn: learnHierarchy,
  decode: (message, _settings, memory) => decode(message, memory),
};

function decode({ topic, payload }: DeviceMessage, memory: Behind): FamilyDecodeResult | null {
  const parsed = parseTopic(topic);
  if (parsed === null) return null;
  if (parsed === 'other') return createEmptyResult();
  // The word `branch` in the channel shows that a counter behind the grid meter is not the grid meter.
  const circuit = isBehind(memory, parsed.device) ? 'branch/' : '';
  if (parsed.version === 2 && parsed.field === 'powers') return decodePhases(parsed, payload, circuit);
  const found = fieldOf(parsed);
  if (!found) return createEmptyResult();
  const text = readText(payload);
  if (text === null) return createRefusedResult(`${parsed.field} is not text`);
  const collector = createValueCollector();
  collector.add({ device: parsed.device, value: text, name: parsed.field, ...found, channel: circuit + found.channel });
  return collector;
}

/** Decodes `[-26, -334, 50]`: the signed power of each phase. */
function decodePhases({ device, part }: OpenWbTopic, payload: Buffer, circuit: string): FamilyDecodeResult {
  if (part === 'pv' || part === 'bat') return createEmptyResult();
  const powers = readJson(payload);
  if (powers === null) return createEmptyResult();
  if (!Array.isArray(powers) || powers.length > 3) return createRefusedResult('powers is not a list of three');
  const collector = createValueCollector();
  for (const [index, value] of powers.entries()) {
    const name = `powers[${index}]`;
    collector.add({ device, channel: `${circuit}import/l${index + 1}`, kind: 'power_w', value, name });
  }
  return collector;
}
