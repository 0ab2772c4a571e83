import { createStatelessFamily, type DeviceMessage, type FamilyDecodeResult, type ValueKind } from '../family.ts';
import { findEnergyScale } from '../homeassistant/units.ts';
import { asObjectOrNull, getMember, type Json, readJson, readText } from '../read/payload.ts';
import { createEmptyResult, createRefusedResult, createValueCollector } from '../read/value-collector.ts';

interface Measured {
  channel: string;
  kind: ValueKind;
  times?: number;
  asks?: { unit: string | null };
}

/** Electricity registers in kWh of Vaillant's regulators and heat pumps, by the name of ebusd's message. */
const REGISTERS = new Map([
  ['PrEnergySumHc', 'hc/import'],
  ['PrEnergySumHwc', 'hwc/import'],
  ['ConsumptionTotal', 'import'],
]);
/**
 * Names of messages with a sum in kWh whose meaning is not documented: the sum may be reset, or its fuel or heat flow is unknown. The owner
 * is asked for the meaning.
 */
const ASKED_KWH = new Set([
  'PrEnergySum',
  'PrFuelSum',
  'PrFuelSumHc',
  'PrFuelSumHwc',
  'SolarYieldTotal',
  'TotalEnergyUsage',
  'YieldTotal',
  'EnergyHc',
  'EnergyCool',
]);
const PERIOD = /(?:this|last)(?:month|year|day)|today|yesterday|currentday|month|year/i;
/** Matches the names of sums without a unit in ebusd's definitions: `PrEnergySumHwc1`, `YieldHwc`, `HcElecConsTotal`. */
const SUM =
  /^(?:Pr)?(?:Energy|Fuel|Yield|Consumption)(?:Sum|Total)|^(?:Total|Sum)(?:Energy|Fuel|Yield|Consumption)|(?:Elec|Gas|Env)(?:Cons|Yield)(?:Sum|Total)$|^(?:Env)?Yield(?:Hw?c|Cooling)$/;

/** Returns the meaning of the messages with this name; null if the decoder ignores them. */
function measuredOf(name: string): Measured | null {
  const register = REGISTERS.get(name);
  if (register) return { channel: register, kind: 'energy_total_kwh' };
  if (name === 'CurrentConsumedPower') return { channel: 'import', kind: 'power_w', times: 1_000 };
  const [, zone, target] = /^(?:z([1-3]))?(?:RoomTemp|(ActualRoomTempDesired))$/i.exec(name) ?? [];
  if (zone || /^roomtemp$/i.test(name)) {
    const kind = target ? 'setpoint_c' : 'temperature_c';
    return { channel: zone ? `room/z${zone}` : 'room', kind };
  }
  if (name === 'DisplayedOutsideTemp') return { channel: 'outside', kind: 'temperature_c' };
  if (PERIOD.test(name)) return null;
  const isKwh = ASKED_KWH.has(name);
  if (!isKwh && !SUM.test(name)) return null;
  const channel = `unknown/${name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .slice(0, 40)}`;
  return { channel, kind: 'energy_total_kwh', asks: { unit: isKwh ? 'kWh' : null } };
}

/** Whether only ebusd uses a message name, so that the name alone identifies the family. */
const isKnown = (name: string): boolean =>
  (REGISTERS.has(name) && name !== 'ConsumptionTotal') || /^(?:Pr(?:Energy|Fuel)Sum|z[1-3]ActualRoomTemp)/i.test(name);

/** Parsed topic of ebusd. `device` is the topic of the circuit, which is ebusd's name for a device on the bus. */
type EbusdTopic =
  | { about: 'message'; device: string; name: string; field: string | null }
  /** Topics that are not read: requests, and ebusd's messages about itself. */
  | { about: 'nothing' };

const TOPIC = /^((?:.+\/)?ebusd[\w-]*\/([^/]+))\/([^/]+)(?:\/([^/]+))?$/i;
/** Matches a topic below a root that the owner has chosen. As the root does not identify ebusd, the name of the message must. */
const OWN_ROOT = /^(.+\/[^/]+)\/([A-Za-z0-9]+)$/;
const REQUESTS = new Set(['get', 'set', 'list']);

/**
 * Parses `ebusd/{circuit}/{name}`, optionally with a field, and known message names below any other root. Returns null for every other
 * topic.
 */
function parseEbusdTopic(topic: string): EbusdTopic | null {
  const [, device, circuit, name, field] = TOPIC.exec(topic) ?? [];
  if (device && name) {
    if (circuit === 'global' || REQUESTS.has(name) || (field && REQUESTS.has(field))) return { about: 'nothing' };
    return { about: 'message', device, name, field: field ?? null };
  }
  const [, ofCircuit, known] = OWN_ROOT.exec(topic) ?? [];
  return ofCircuit && known && isKnown(known)
    ? { about: 'message', device: ofCircuit, name: known, field: null }
    : null;
}

/** Decoder of ebusd: heating systems on an eBUS (Vaillant and others), by the message names of ebusd's definitions. */
export const ebusdFamily = createStatelessFamily({
  name: 'ebusd',
  takes: (topic) => parseEbusdTopic(topic) !== null,
  decode,
});

function decode({ topic, payload }: DeviceMessage): FamilyDecodeResult | null {
  const parsed = parseEbusdTopic(topic);
  if (!parsed) return null;
  if (parsed.about === 'nothing') return createEmptyResult();
  const { device, name, field } = parsed;
  const measured = measuredOf(name);
  // If ebusd publishes each field separately, the state of a sensor arrives on a topic of its own. The decoder ignores this topic.
  if (!measured || field === 'sensor' || payload.length === 0) return createEmptyResult();
  const text = readText(payload);
  if (text === null) return createRefusedResult('payload is not text');
  const json = readJson(payload);
  const body = asObjectOrNull(json);
  const { value, unit } = body ? fromFields(body) : { value: fromText(text), unit: null };
  if (value instanceof Error) return createRefusedResult(`${name}: ${value.message}`);
  const collector = createValueCollector();
  if (!measured.asks) collector.add({ device, ...measured, value, name });
  else {
    const scale = measured.asks.unit === null ? findEnergyScale(unit) : {};
    collector.add({ device, ...measured, ...scale, asks: { unit: scale ? 'kWh' : unit }, value, name });
  }
  return collector;
}

interface Field {
  value: unknown;
  unit: string | null;
}

/**
 * Returns the number of a JSON message with one number: `{"energy4":{"value":123}}` or the short form `{"energy4":123}`. The value is null
 * if the message also contains a sensor state other than `ok`.
 */
function fromFields(body: Json): Field {
  const fields = Object.entries(body).map(([name, given]) => {
    const inner = asObjectOrNull(given);
    const unit = getMember(inner, 'unit');
    return {
      name,
      value: inner ? getMember(inner, 'value') : given,
      unit: typeof unit === 'string' ? unit.slice(0, 20) : null,
    };
  });
  const sensor = fields.find(({ name }) => name === 'sensor');
  if (sensor && sensor.value !== 'ok') return { value: null, unit: null };
  const values = fields.filter((one) => one !== sensor && (typeof one.value === 'number' || one.value === null));
  const [only] = values;
  if (only && values.length === 1) return only;
  const value = new Error(values.length === 0 ? 'no field of it is a number' : 'several fields of it are numbers');
  return { value, unit: null };
}

/** Returns the value of a text such as `20.5` or `20.5;ok`; null if the state after the semicolon is not `ok` (sensor disconnected). */
function fromText(text: string): unknown {
  const [value, state = 'ok'] = text.split(';');
  return state === 'ok' ? value : null;
}
