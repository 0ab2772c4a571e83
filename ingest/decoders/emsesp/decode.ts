import { createStatelessFamily, type DeviceMessage, type FamilyDecodeResult } from '../family.ts';
import { asObject, type Json, ownMember, readObject, readText } from '../read/payload.ts';
import { createValueCollector, refusedResult, type ValueCollector } from '../read/value-collector.ts';

/** Topics such as `boiler_data`, `thermostat_data_hc1`; of a single value `boiler_data/nrgconstotal`, `thermostat_data/hc1/currtemp`. */
const TOPIC = /^(.+)\/(boiler|thermostat)_data(?:_(hc[1-8]))?(?:\/(hc[1-8]))?(?:\/([a-z][a-z0-9]*))?$/;
const STATUS = /^((?:.+\/)?ems-esp)\/status$/;

interface EmsEspTopic {
  base: string;
  of: 'boiler' | 'thermostat' | 'status';
  /** Heating circuit, `hc1` to `hc8`; empty for a topic of all circuits or of the boiler. */
  circuit: string;
  /** Name of the single value on the topic; empty if the payload is a JSON object of all values. */
  name: string;
}

/** Parses a topic of the boiler, the thermostat or the status. Returns null for every other topic, including those of hot water. */
function parseTopic(topic: string): EmsEspTopic | null {
  const status = STATUS.exec(topic)?.[1];
  if (status !== undefined) return { base: status, of: 'status', circuit: '', name: '' };
  const [, base, of, circuit, nested, name = ''] = TOPIC.exec(topic) ?? [];
  if (base === undefined) return null;
  return { base, of: of as 'boiler' | 'thermostat', circuit: circuit ?? nested ?? '', name };
}

const CIRCUIT = /^hc[1-8]$/;

/**
 * Decoder of EMS-ESP: boilers, heat pumps and thermostats of Bosch and its brands, if their Home Assistant announcements are switched off.
 */
export const emsesp = createStatelessFamily({ name: 'emsesp', takes: (topic) => parseTopic(topic) !== null, decode });

function decode({ topic, payload }: DeviceMessage): FamilyDecodeResult | null {
  const parsed = parseTopic(topic);
  if (!parsed) return null;
  const collector = createValueCollector();
  const { base: device, of, circuit, name } = parsed;
  if (of === 'status' || name !== '') {
    const text = readText(payload);
    if (text === null) return refusedResult(`${name || of} is not text`);
    if (of === 'status') collector.addState({ device, channel: 'device', kind: 'availability', value: text, name: of });
    else addValues(collector, parsed, { [name]: text });
    return collector;
  }
  const body = readObject(payload);
  if (!body) return refusedResult('payload is not a JSON object');
  addValues(collector, parsed, body);
  if (of === 'boiler' || circuit !== '') return collector;
  for (const [key, value] of Object.entries(body)) {
    const values = CIRCUIT.test(key) ? asObject(value) : null;
    if (values) addValues(collector, { ...parsed, circuit: key }, values);
  }
  return collector;
}

function addValues(collector: ValueCollector, { base, of, circuit }: EmsEspTopic, values: Json): void {
  const value = (name: string) => ownMember(values, name);
  if (of === 'thermostat') {
    // Each heating circuit is a device with its own room.
    const device = circuit === '' ? `${base}/thermostat` : `${base}/thermostat/${circuit}`;
    collector.add({ device, channel: 'room', kind: 'temperature_c', value: value('currtemp'), name: 'currtemp' });
    collector.add({ device, channel: 'room', kind: 'setpoint_c', value: value('seltemp'), name: 'seltemp' });
    return;
  }
  const device = `${base}/boiler`;
  const register = { device, kind: 'energy_total_kwh' } as const;
  collector.add({ ...register, channel: 'import', value: value('nrgconstotal'), name: 'nrgconstotal' });
  collector.add({ ...register, channel: 'heat/import', value: value('nrgsupptotal'), name: 'nrgsupptotal' });
  // Depending on the heat pump, `metertotal` repeats `nrgconstotal` or is its only register. The owner must state which case applies.
  const asked = { ...register, channel: 'unknown/metertotal', asks: { unit: 'kWh' } };
  collector.add({ ...asked, value: value('metertotal'), name: 'metertotal' });
  const heating = { device, channel: 'room', kind: 'heating', name: 'heatingactive' } as const;
  collector.addState({ ...heating, value: value('heatingactive') });
}
