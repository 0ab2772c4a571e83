import { type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { type Hearing, hearing, refusal } from '../read/heard.ts';
import { asObject, type Json, member, readObject, readText } from '../read/payload.ts';

/** `boiler_data`, `thermostat_data_hc1`, and of one value `boiler_data/nrgconstotal`, `thermostat_data/hc1/currtemp`. */
const TOPIC = /^(.+)\/(boiler|thermostat)_data(?:_(hc[1-8]))?(?:\/(hc[1-8]))?(?:\/([a-z][a-z0-9]*))?$/;
const STATUS = /^((?:.+\/)?ems-esp)\/status$/;

interface EmsEspTopic {
  base: string;
  of: 'boiler' | 'thermostat' | 'status';
  /** Of a heating circuit; empty: of all of them, or of the boiler. */
  circuit: string;
  /** Of one value; empty: JSON of all of them. */
  name: string;
}

/** Reads a topic of the boiler or the thermostat; null for every other one, what is of hot water among them. */
function parseTopic(topic: string): EmsEspTopic | null {
  const status = STATUS.exec(topic)?.[1];
  if (status !== undefined) return { base: status, of: 'status', circuit: '', name: '' };
  const [, base, of, circuit, nested, name = ''] = TOPIC.exec(topic) ?? [];
  if (base === undefined) return null;
  return { base, of: of as 'boiler' | 'thermostat', circuit: circuit ?? nested ?? '', name };
}

const CIRCUIT = /^hc[1-8]$/;

/** EMS-ESP: boilers, heat pumps and thermostats of Bosch and its brands, where it was not told to announce itself. */
export const emsesp = withoutMemory({ name: 'emsesp', takes: (topic) => parseTopic(topic) !== null, decode });

function decode({ topic, payload }: DeviceMessage): Heard | null {
  const parsed = parseTopic(topic);
  if (!parsed) return null;
  const heard = hearing();
  const { base: device, of, circuit, name } = parsed;
  if (of === 'status' || name !== '') {
    const text = readText(payload);
    if (text === null) return refusal(`${name || of} is not text`);
    if (of === 'status') heard.addState({ device, channel: 'device', kind: 'availability', value: text, name: of });
    else addValues(heard, parsed, { [name]: text });
    return heard;
  }
  const body = readObject(payload);
  if (!body) return refusal('payload is not a JSON object');
  addValues(heard, parsed, body);
  if (of === 'boiler' || circuit !== '') return heard;
  for (const [key, value] of Object.entries(body)) {
    const values = CIRCUIT.test(key) ? asObject(value) : null;
    if (values) addValues(heard, { ...parsed, circuit: key }, values);
  }
  return heard;
}

function addValues(heard: Hearing, { base, of, circuit }: EmsEspTopic, values: Json): void {
  const value = (name: string) => member(values, name);
  if (of === 'thermostat') {
    // Each heating circuit has a room of its own.
    const device = circuit === '' ? `${base}/thermostat` : `${base}/thermostat/${circuit}`;
    heard.add({ device, channel: 'room', kind: 'temperature_c', value: value('currtemp'), name: 'currtemp' });
    heard.add({ device, channel: 'room', kind: 'setpoint_c', value: value('seltemp'), name: 'seltemp' });
    return;
  }
  const device = `${base}/boiler`;
  const register = { device, kind: 'energy_total_kwh' } as const;
  heard.add({ ...register, channel: 'import', value: value('nrgconstotal'), name: 'nrgconstotal' });
  heard.add({ ...register, channel: 'heat/import', value: value('nrgsupptotal'), name: 'nrgsupptotal' });
  // The same once more, or the only one: it depends on the heat pump.
  const asked = { ...register, channel: 'unknown/metertotal', asks: { unit: 'kWh' } };
  heard.add({ ...asked, value: value('metertotal'), name: 'metertotal' });
  const heating = { device, channel: 'room', kind: 'heating', name: 'heatingactive' } as const;
  heard.addState({ ...heating, value: value('heatingactive') });
}
