import type { DeviceMessage, Family, Heard } from '../family.ts';
import { type Hearing, hearing, nothing, refusal } from '../read/heard.ts';
import { readText } from '../read/payload.ts';
import { countsImportBesideSum, isSunSpec } from './kinds.ts';
import { type MbmdTopic, parseMbmdTopic } from './topic.ts';

/** SunSpec devices that have told of direct current: inverters. */
type Inverters = Set<string>;

/** mbmd: meters and inverters that are read over Modbus. */
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

function decode({ topic, payload }: DeviceMessage, _settings: unknown, inverters: Inverters): Heard | null {
  const parsed = parseMbmdTopic(topic);
  if (!parsed) return null;
  // The daemon is no device of the household.
  if (parsed.about === 'daemon') return nothing();
  const value = readText(payload);
  if (value === null) return refusal(`${parsed.measurement} is not text`);
  const heard = hearing();
  add(heard, parsed, value, inverters);
  return heard;
}

type Value = Extract<MbmdTopic, { about: 'value' }>;

function add(heard: Hearing, { device, type, measurement, part }: Value, value: string, inverters: Inverters): void {
  const below = part === '' ? '' : `/${part}`;
  const name = measurement + part.toUpperCase();
  const energy = { device, kind: 'energy_total_kwh', value, name } as const;
  const power = { device, kind: 'power_w', value, name } as const;
  if (measurement === 'Import') heard.add({ ...energy, channel: `import${below}` });
  else if (measurement === 'Export') heard.add({ ...energy, channel: `export${below}` });
  else if (measurement === 'Sum' && !countsImportBesideSum(type))
    heard.add({ ...energy, channel: `unknown/sum${below}`, asks: { unit: 'kWh' } });
  else if (measurement === 'Power') {
    if (!isSunSpec(type)) heard.add({ ...power, channel: `import${below}` });
    // Its register is `Export`, too.
    else if (inverters.has(device)) heard.add({ ...power, channel: `export${below}` });
  }
}
