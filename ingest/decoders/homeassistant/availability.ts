import { asObject, type Json } from '../read/payload.ts';
import { field, textField, topicField } from './abbreviations.ts';
import { evaluate, type State } from './evaluate.ts';
import { type Expression, parseTemplate } from './template.ts';

/** A topic that tells whether a device can be reached. */
export interface Availability {
  topic: string;
  /** What it says then, exactly. */
  available: string;
  notAvailable: string;
  template: Expression | null;
  /** What it may be believed: of several topics of which all must agree, one alone only says `false`. */
  says: 'both' | boolean;
  refusal?: string;
}

/** The topics of a configuration that tell of availability: one, or a list of them. */
export function availabilityOf(config: Json, base: string | null): Availability[] {
  const list = field(config, 'availability');
  const entries = (Array.isArray(list) ? list.slice(0, 10) : [list]).map(asObject).filter((entry) => entry !== null);
  const found = entries.flatMap((entry) => one(entry, topicField(entry, 'topic', base), 'value_template'));
  const single = topicField(config, 'availability_topic', base);
  if (single !== null) found.push(...one(config, single, 'availability_template'));
  const mode = textField(config, 'availability_mode');
  if (found.length < 2 || (mode !== 'all' && mode !== 'any')) return found;
  return found.map((entry) => ({ ...entry, says: mode === 'any' }));
}

function one(config: Json, topic: string | null, template: string): Availability[] {
  if (topic === null) return [];
  const text = textField(config, template);
  const expression = text === null ? null : parseTemplate(text);
  return [
    {
      topic,
      available: textField(config, 'payload_available') ?? 'online',
      notAvailable: textField(config, 'payload_not_available') ?? 'offline',
      template: expression,
      says: 'both',
      ...(text !== null && !expression ? { refusal: `the template ${text.slice(0, 80)} cannot be evaluated` } : {}),
    },
  ];
}

/** Whether the device can be reached; null: this message does not say; undefined: neither of its two words. */
export function readAvailability(one: Availability, state: State): boolean | null | undefined {
  const value = one.template ? evaluate(one.template, state) : state.text;
  const text = typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value ?? '').trim();
  if (text === '') return null;
  const said = text === one.available ? true : text === one.notAvailable ? false : undefined;
  return said === undefined || one.says === 'both' || one.says === said ? said : null;
}
