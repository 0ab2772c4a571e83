import { type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { energyScale } from '../homeassistant/units.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { asObject, type Json, member, readJson, readText } from '../read/payload.ts';
import { measuredOf } from './names.ts';
import { parseEbusdTopic } from './topic.ts';

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
