import { asObjectOrNull, type Json } from '../read/payload.ts';
import { getConfigField, getConfigText, getConfigTopic } from './abbreviations.ts';
import { evaluateTemplate, type TemplateMessage } from './evaluate.ts';
import type { TemplateExpression } from './expression.ts';
import { parseTemplate } from './template.ts';

/** A topic that reports whether a device is reachable. */
export interface AvailabilityTopic {
  topic: string;
  /** Exact payload that means "available". */
  available: string;
  notAvailable: string;
  template: TemplateExpression | null;
  /**
   * States that this topic alone can show. If all of several topics must report "available", one topic can only show that the device is
   * unreachable (`false`). If one of several topics suffices, it can only show that the device is reachable (`true`).
   */
  says: 'both' | boolean;
  refusal?: string;
}

/** Returns the availability topics of a discovery configuration, which contains one topic or a list of topics. */
export function getAvailabilityTopics(config: Json, base: string | null): AvailabilityTopic[] {
  const list = getConfigField(config, 'availability');
  const entries = (Array.isArray(list) ? list.slice(0, 10) : [list])
    .map(asObjectOrNull)
    .filter((entry) => entry !== null);
  const found = entries.flatMap((entry) => one(entry, getConfigTopic(entry, 'topic', base), 'value_template'));
  const single = getConfigTopic(config, 'availability_topic', base);
  if (single !== null) found.push(...one(config, single, 'availability_template'));
  const mode = getConfigText(config, 'availability_mode');
  if (found.length < 2 || (mode !== 'all' && mode !== 'any')) return found;
  return found.map((entry) => ({ ...entry, says: mode === 'any' }));
}

function one(config: Json, topic: string | null, template: string): AvailabilityTopic[] {
  if (topic === null) return [];
  const text = getConfigText(config, template);
  const expression = text === null ? null : parseTemplate(text);
  return [
    {
      topic,
      available: getConfigText(config, 'payload_available') ?? 'online',
      notAvailable: getConfigText(config, 'payload_not_available') ?? 'offline',
      template: expression,
      says: 'both',
      ...(text !== null && !expression ? { refusal: `the template ${text.slice(0, 80)} cannot be evaluated` } : {}),
    },
  ];
}

/**
 * Returns whether the device is reachable; null if this message alone does not decide; undefined if the payload is neither the announced
 * text for "available" nor the announced text for "not available".
 */
export function readAvailability(one: AvailabilityTopic, state: TemplateMessage): boolean | null | undefined {
  const value = one.template ? evaluateTemplate(one.template, state) : state.text;
  const text = typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value ?? '').trim();
  if (text === '') return null;
  const said = text === one.available ? true : text === one.notAvailable ? false : undefined;
  return said === undefined || one.says === 'both' || one.says === said ? said : null;
}
