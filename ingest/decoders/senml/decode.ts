import { matchTopicFilter } from '#src/core/topic-filter.ts';
import {
  type ChannelAssignment,
  createStatelessFamily,
  type DecoderSettings,
  type DeviceMessage,
  type FamilyDecodeResult,
  type ValueKind,
} from '../family.ts';
import { readJson } from '../read/payload.ts';
import { discardImplausibleTime } from '../read/time.ts';
import { createRefusedResult, createValueCollector, type MessageQuantity } from '../read/value-collector.ts';
import { findVolumeScale, getVolumeChannel } from '../read/volume.ts';
import {
  findSenmlChannel,
  getChannelOfEnergyName,
  getChannelOfVolumeName,
  isSetpointName,
  type SenmlName,
  splitSenmlName,
} from './names.ts';
import { explainUnreadablePack, type ResolvedSenmlRecord, resolveSenmlPack } from './resolve.ts';

/**
 * Returns the device for records without a name. Its id consists of the topic levels at the wildcards of the owner's filter, or of the last
 * level if the filter has no wildcards. Returns null if no filter matches the topic.
 */
function parseSenmlTopic(topic: string, filters: readonly string[]): { device: string } | null {
  for (const filter of filters) {
    const wild = matchTopicFilter(filter, topic);
    if (wild) return { device: wild.join('/') || (topic.split('/').at(-1) ?? topic) };
  }
  return null;
}

/** A number of a record, with the scale that converts it to the unit of its kind. */
interface SenmlQuantity extends ChannelAssignment {
  kind: ValueKind;
  value: number | null;
  times?: number;
  per?: number;
}

const J_PER_KWH = 3_600_000;
const ENERGY = new Map([
  ['J', { per: J_PER_KWH }],
  ['kJ', { per: J_PER_KWH / 1_000 }],
  ['MJ', { per: 3.6 }],
  ['Wh', { per: 1_000 }],
  ['kWh', { per: 1 }],
  ['MWh', { times: 1_000 }],
]);
const POWER = new Map([
  ['W', 1],
  ['kW', 1_000],
]);
const KELVIN_OF_0_CELSIUS = 273.15;
const CELSIUS = new Set(['Cel', '°C', 'C', 'celsius']);

/** Units of IPSO resources, as defined by IPSO. */
const IPSO_UNITS = new Map([
  [5800, 'W'],
  [5805, 'Wh'],
]);
const IPSO_VALUE = 5700;
const IPSO_SETPOINT = 5900;
/** Power (3328) and energy (3331) are separate IPSO objects of the same circuit. */
const IPSO_POWER = 3328;
const IPSO_ENERGY = 3331;
const WATER_METER = { object: 3424, resource: 1 };

/**
 * Returns the quantities in a record, by the record's unit. `unitText`: the unit that the IPSO object states in a separate record (resource
 * 5701).
 */
function quantitiesOf(record: ResolvedSenmlRecord, of: SenmlName, unitText: string | undefined): SenmlQuantity[] {
  const { part, ipso } = of;
  if (ipso?.object === WATER_METER.object && ipso.resource === WATER_METER.resource) {
    const scale = findVolumeScale(record.unit ?? 'm3');
    const channel = getVolumeChannel('water', `${ipso.object}-${ipso.instance}`);
    return scale ? [{ channel, kind: 'volume_total_m3', value: record.value, ...scale }] : [];
  }
  if (ipso && !IPSO_UNITS.has(ipso.resource) && ipso.resource !== IPSO_VALUE && ipso.resource !== IPSO_SETPOINT)
    return [];
  const unit = record.unit ?? (ipso && (IPSO_UNITS.get(ipso.resource) ?? unitText)) ?? '';
  const { value } = record;
  const channel = (kind: ValueKind) => (ipso ? ipsoChannel(ipso, kind) : findSenmlChannel(part, kind));
  const place = (kind: 'energy_total_kwh' | 'power_w') =>
    ipso ? { channel: ipsoChannel(ipso, kind) } : getChannelOfEnergyName(part, kind);
  const energy = ENERGY.get(unit);
  if (energy) {
    const meter = place('energy_total_kwh');
    return meter ? [{ ...meter, kind: 'energy_total_kwh', value, ...energy }] : [];
  }
  const times = POWER.get(unit);
  if (times !== undefined) {
    const meter = place('power_w');
    if (!meter) return [];
    // The time integral (`s`) of a power is in watt-seconds, which are joules.
    const sum = { ...meter, kind: 'energy_total_kwh', value: record.sum, per: J_PER_KWH / times } as const;
    return [{ ...meter, kind: 'power_w', value, times }, ...(record.sum === null ? [] : [sum])];
  }
  const scale = findVolumeScale(unit);
  if (scale) {
    const meter = ipso ? null : getChannelOfVolumeName(of);
    return meter ? [{ ...meter, kind: 'volume_total_m3', value, ...scale }] : [];
  }
  const isWanted = ipso ? ipso.resource === IPSO_SETPOINT : isSetpointName(part);
  const kind = isWanted ? 'setpoint_c' : 'temperature_c';
  if (CELSIUS.has(unit)) return [{ channel: channel(kind), kind, value }];
  if (unit !== 'K') return [];
  return [{ channel: channel(kind), kind, value: value === null ? null : value - KELVIN_OF_0_CELSIUS }];
}

function ipsoChannel({ object, instance }: { object: number; instance: number }, kind: ValueKind): string {
  const thing = `${object === IPSO_POWER ? IPSO_ENERGY : object}-${instance}`;
  return kind === 'temperature_c' || kind === 'setpoint_c' ? `room/${thing}` : `${thing}/import`;
}

/** Decoder of SenML packs (RFC 8428, JSON) on the topics that the owner has set. */
export const senmlFamily = createStatelessFamily({ name: 'senml', decode });

/** Number of the IPSO resource that states the unit of its object. */
const IPSO_UNIT = 5701;
const MAX_PART = 100;

function decode(
  { topic, payload, receivedAtMs, replayed = false }: DeviceMessage,
  settings: DecoderSettings,
): FamilyDecodeResult | null {
  const parsed = parseSenmlTopic(topic, settings.senml?.topics ?? []);
  if (!parsed) return null;
  const pack = readJson(payload);
  if (!Array.isArray(pack)) return createRefusedResult(NO_PACK);
  const bad = explainUnreadablePack(pack);
  if (bad !== null) return createRefusedResult(bad);
  const collector = createValueCollector();
  readPack(pack, { receivedAtMs, replayed, sender: parsed }, (record) => ({
    refuse: collector.refuse,
    add: (quantity) => collector.add({ ...quantity, atMs: discardImplausibleTime(record.atMs, receivedAtMs) }),
  }));
  return collector;
}

const NO_PACK = 'payload is not a SenML pack: a JSON array of records';

/** Values of a record, or the reasons why the record cannot be used. */
interface SenmlRecordResult {
  index: number;
  said: FamilyDecodeResult['said'];
  refused: readonly string[];
}

/**
 * Decodes a pack of a known device, record by record. The names of its records contain only quantities. Returns the reason if the whole
 * pack is unreadable. Each record needs an absolute time. The time is returned as sent, so the caller must check it for plausibility.
 */
export function decodeSenmlRecords(
  pack: unknown,
  { device, receivedAtMs }: { device: string; receivedAtMs: number },
): SenmlRecordResult[] | string {
  if (!Array.isArray(pack)) return NO_PACK;
  const bad = explainUnreadablePack(pack);
  if (bad !== null) return bad;
  const byIndex = new Map<number, ReturnType<typeof createValueCollector>>();
  // `replayed` is set so that the decoder does not compute times from relative ones. Records with relative times are refused below.
  readPack(pack, { receivedAtMs, replayed: true, sender: { device, isOnly: true } }, ({ index, atMs }) => {
    const collector = byIndex.get(index) ?? createValueCollector();
    byIndex.set(index, collector);
    return {
      refuse: collector.refuse,
      add: (quantity) => {
        if (quantity.value === null) return;
        if (atMs === null) collector.refuse('needs an absolute time: bt and t from 2^28 seconds on');
        else collector.add({ ...quantity, atMs: Math.round(atMs) });
      },
    };
  });
  return [...byIndex].map(([index, { said, refused }]) => ({ index, said, refused }));
}

/** Callbacks for the quantities of a record, and for the reasons why the record cannot be used. */
interface RecordReceiver {
  add(quantity: Omit<MessageQuantity, 'atMs'>): void;
  refuse(reason: string): void;
}

/**
 * Reads the records of a pack. `sender`: the device of records that name none, or the device of all records if `isOnly` is set.
 * `receiverOf`: called once per record with the record's index and time (null: time of receipt).
 */
function readPack(
  pack: readonly unknown[],
  { sender, ...receipt }: { receivedAtMs: number; replayed: boolean; sender: { device: string; isOnly?: true } },
  receiverOf: (record: Pick<ResolvedSenmlRecord, 'index' | 'atMs'>) => RecordReceiver,
): void {
  const { records, refused } = resolveSenmlPack(pack, receipt);
  for (const { index, reason } of refused) receiverOf({ index, atMs: null }).refuse(reason);
  const named = records.map((record) => {
    const of = splitSenmlName(record.base, record.name, sender.device);
    return { record, of: sender.isOnly ? { ...of, device: sender.device } : of };
  });
  const units = unitsOf(named);
  /** For each channel, the name of the record that used the channel first. */
  const taken = new Map<string, string>();
  for (const { record, of } of named) {
    const receiver = receiverOf(record);
    if (of.part.length > MAX_PART) {
      receiver.refuse('a name is too long');
      continue;
    }
    const name = record.base + record.name;
    for (const quantity of quantitiesOf(record, of, units.get(objectOf(of)))) {
      const key = JSON.stringify([of.device, quantity.channel, quantity.kind]);
      const first = taken.get(key) ?? name;
      taken.set(key, first);
      if (first === name) receiver.add({ ...quantity, device: of.device, name });
      else receiver.refuse(`${name.slice(0, 100)} cannot be told from ${first.slice(0, 100)}`);
    }
  }
}

/** Returns the units that IPSO objects state in separate records (resource 5701), by device and object. */
function unitsOf(named: readonly { record: ResolvedSenmlRecord; of: SenmlName }[]): Map<string, string> {
  const units = new Map<string, string>();
  for (const { record, of } of named) {
    if (of.ipso?.resource === IPSO_UNIT && record.text !== null) units.set(objectOf(of), record.text.trim());
  }
  return units;
}

const objectOf = ({ device, ipso }: SenmlName): string => (ipso ? `${device} ${ipso.object}/${ipso.instance}` : '');
