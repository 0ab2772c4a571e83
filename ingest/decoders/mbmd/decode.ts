import type { DeviceMessage, Family, FamilyDecodeResult } from '../family.ts';
import { readText } from '../read/payload.ts';
import { createValueCollector, emptyResult, refusedResult, type ValueCollector } from '../read/value-collector.ts';

type MbmdTopic =
  /** `device`: id of the device, including the root. `type`: `sdm1-1`. `part`: `L1`, `T2`, `S1`, or empty. */
  { about: 'value'; device: string; type: string; measurement: string; part: string } | { about: 'daemon' };

/**
 * Device id such as `sdm1-1`, `orno1p5041-7`, `sma1-126-2`: type and number of the connection, number of the device on it, and number of
 * its sub-device.
 */
const DEVICE = /^[a-z][a-z0-9_]{0,32}?\d{1,4}-\d{1,3}(?:-\d{1,3})?$/;
/** Name of a measurement: `Import`, `ImportL1` (before March 2020), `VoltageL1_L2`. */
const MEASUREMENT = /^([A-Z]\w*?)([LTS]\d)?$/;
const PART = /^[LTS]\d$/;
/**
 * Measurements of mbmd that are read or known. Below a root of the owner's choice they distinguish mbmd from other topics with such a
 * device id.
 */
const KNOWN =
  /^(?:Import|Export|Sum|Reactive(?:Sum|Import|Export|Power)|(?:Import|Export|Apparent|DC)?Power|DC(?:Current|Voltage|Energy)|Voltage|Current|Frequency|Cosphi|THD|HeatSinkTemp|ChargeState|BatteryVoltage|PhaseAngle|ThreePhase_Vec_A|Voltage[LN_0-9a-z]+)$/;

/**
 * Parses `mbmd/sdm1-1/Import` and `mbmd/sdm1-1/Import/L1`, below any root. Returns null for every other topic: `homie/…` of the same daemon
 * uses small letters.
 */
function parseMbmdTopic(topic: string): MbmdTopic | null {
  if (topic === 'mbmd/status') return { about: 'daemon' };
  const words = topic.split('/');
  const last = words.at(-1) ?? '';
  const isPart = PART.test(last);
  const at = words.length - (isPart ? 2 : 1);
  const [, measurement = '', inWord = ''] = MEASUREMENT.exec(words[at] ?? '') ?? [];
  const type = words[at - 1] ?? '';
  if (at < 2 || !KNOWN.test(measurement) || !DEVICE.test(type)) return null;
  // Each daemon numbers its devices from 1, so a second daemon also has an `sdm1-1`. The root is therefore part of the id.
  return {
    about: 'value',
    device: words.slice(0, at).join('/'),
    type,
    measurement,
    part: (isPart ? last : inWord).toLowerCase(),
  };
}

/** Device types whose meters count import (and mostly export) in addition to `Sum`, which is then the sum of both or their difference. */
const SUM_BESIDE_IMPORT =
  /^(?:ds100|inepro|mpm|orno1p525|orno3p|sdm(?:54|72|72v2|120|220|230)?|semtr|ws100|x961a)\d+-\d+$/;
/** SunSpec types, in which inverters and meters use the same names. */
const SUNSPEC = /^(?:fronius|kostal|kaco|se|sma|solaredge|steca|suns|sunspec)\d+-\d+(?:-\d+)?$/;

const countsImportBesideSum = (type: string): boolean => SUM_BESIDE_IMPORT.test(type);
const isSunSpec = (type: string): boolean => SUNSPEC.test(type);

/** Ids of SunSpec devices that have reported direct current, which identifies them as inverters. */
type Inverters = Set<string>;

/** Decoder of mbmd: meters and inverters that are read over Modbus. */
export const mbmd: Family<Inverters> = {
  name: 'mbmd',
  takes: (topic) => parseMbmdTopic(topic) !== null,
  remembers: (topic) => tellsInverter(parseMbmdTopic(topic)),
  newMemory: () => new Set(),
  isNews: (inverters, { topic }) => {
    const parsed = parseMbmdTopic(topic);
    return parsed?.about === 'value' && !inverters.has(parsed.device);
  },
  learn(inverters, { topic }) {
    const parsed = parseMbmdTopic(topic);
    if (parsed?.about === 'value') inverters.add(parsed.device);
  },
  decode,
};

const tellsInverter = (parsed: MbmdTopic | null): boolean =>
  parsed?.about === 'value' && parsed.measurement.startsWith('DC') && isSunSpec(parsed.type);

function decode(
  { topic, payload }: DeviceMessage,
  _settings: unknown,
  inverters: Inverters,
): FamilyDecodeResult | null {
  const parsed = parseMbmdTopic(topic);
  if (!parsed) return null;
  // Messages about the daemon itself; it is not a device of the household.
  if (parsed.about === 'daemon') return emptyResult();
  const value = readText(payload);
  if (value === null) return refusedResult(`${parsed.measurement} is not text`);
  const collector = createValueCollector();
  add(collector, parsed, value, inverters);
  return collector;
}

type Value = Extract<MbmdTopic, { about: 'value' }>;

function add(
  collector: ValueCollector,
  { device, type, measurement, part }: Value,
  value: string,
  inverters: Inverters,
): void {
  const below = part === '' ? '' : `/${part}`;
  const name = measurement + part.toUpperCase();
  const energy = { device, kind: 'energy_total_kwh', value, name } as const;
  const power = { device, kind: 'power_w', value, name } as const;
  if (measurement === 'Import') collector.add({ ...energy, channel: `import${below}` });
  else if (measurement === 'Export') collector.add({ ...energy, channel: `export${below}` });
  else if (measurement === 'Sum' && !countsImportBesideSum(type))
    collector.add({ ...energy, channel: `unknown/sum${below}`, asks: { unit: 'kWh' } });
  else if (measurement === 'Power') {
    if (!isSunSpec(type)) collector.add({ ...power, channel: `import${below}` });
    // The register of an inverter is `Export`, so its power is exported, too.
    else if (inverters.has(device)) collector.add({ ...power, channel: `export${below}` });
  }
}
