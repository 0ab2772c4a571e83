import { type DeviceMessage, type Heard, type SaidKind, withoutMemory } from '../family.ts';
import { energyScale } from '../homeassistant/units.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { asObject, type Json, member, readJson, readText } from '../read/payload.ts';

/** What a message's value is. */
interface Measured {
  channel: string;
  kind: SaidKind;
  times?: number;
  asks?: { unit: string | null };
}

/** Registers of electricity in kWh, by the definitions of Vaillant's regulators and heat pumps. */
const REGISTERS = new Map([
  ['PrEnergySumHc', 'hc/import'],
  ['PrEnergySumHwc', 'hwc/import'],
  ['ConsumptionTotal', 'import'],
]);
/** Sums in kWh of which nobody can tell whether they start again, of which fuel, or which of two heats they are. */
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
/** Sums of which the definitions name no unit: `PrEnergySumHwc1`, `YieldSum`. */
const SUM = /^(?:Pr)?(?:Energy|Fuel|Yield|Consumption)(?:Sum|Total)|^(?:Total|Sum)(?:Energy|Fuel|Yield|Consumption)/;

/** What a message of that name says; null where nothing is read of it. */
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

/** Whether a name is told by nobody else. */
const isKnown = (name: string): boolean =>
  (REGISTERS.has(name) && name !== 'ConsumptionTotal') || /^(?:Pr(?:Energy|Fuel)Sum|z[1-3]ActualRoomTemp)/i.test(name);

/** What is on a topic of ebusd. `device`: the topic of the circuit. */
type EbusdTopic =
  | { about: 'message'; device: string; name: string; field: string | null }
  /** Requests, and what ebusd says of itself. */
  | { about: 'nothing' };

const TOPIC = /^((?:.+\/)?ebusd[\w-]*\/([^/]+))\/([^/]+)(?:\/([^/]+))?$/i;
/** Another root: then the name alone tells whose it is. */
const OWN_ROOT = /^(.+\/[^/]+)\/([A-Za-z0-9]+)$/;
const REQUESTS = new Set(['get', 'set', 'list']);

/** Reads `ebusd/{circuit}/{name}`, with a field where it is told by field, and known names below any root; null for every other topic. */
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

/** ebusd: heating on an eBUS (Vaillant and others), by message names of its definitions. */
export const ebusd = withoutMemory({ name: 'ebusd', takes: (topic) => parseEbusdTopic(topic) !== null, decode });

function decode({ topic, payload }: DeviceMessage): Heard | null {
  const parsed = parseEbusdTopic(topic);
  if (!parsed) return null;
  if (parsed.about === 'nothing') return nothing();
  const { device, name, field } = parsed;
  const measured = measuredOf(name);
  // Told by field, a sensor's state has a topic of its own.
  if (!measured || field === 'sensor' || payload.length === 0) return nothing();
  const text = readText(payload);
  if (text === null) return refusal('payload is not text');
  const json = readJson(payload);
  const body = asObject(json);
  const { value, unit } = body ? fromFields(body) : { value: fromText(text), unit: null };
  if (value instanceof Error) return refusal(`${name}: ${value.message}`);
  const heard = hearing();
  if (!measured.asks) heard.add({ device, ...measured, value, name });
  else {
    const scale = measured.asks.unit === null ? energyScale(unit) : {};
    heard.add({ device, ...measured, ...scale, asks: { unit: scale ? 'kWh' : unit }, value, name });
  }
  return heard;
}

interface Field {
  value: unknown;
  unit: string | null;
}

/** `{"energy4":{"value":123}}`, or in short `{"energy4":123}`; beside it the state of a sensor. */
function fromFields(body: Json): Field {
  const fields = Object.entries(body).map(([name, given]) => {
    const inner = asObject(given);
    const unit = member(inner, 'unit');
    return {
      name,
      value: inner ? member(inner, 'value') : given,
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

/** `20.5`, `20.5;ok`; a sensor that is cut off has no value. */
function fromText(text: string): unknown {
  const [value, state = 'ok'] = text.split(';');
  return state === 'ok' ? value : null;
}
