import type { ValueKind } from '../family.ts';
import type { Json } from '../read/payload.ts';
import { getConfigText } from './abbreviations.ts';
import { isJsonTemplate, listMemberNamesInTemplate } from './evaluate.ts';
import type { TemplateExpression } from './expression.ts';
import { parseTemplate } from './template.ts';
import type { UnitScale } from './units.ts';

/** Topic of one value of an entity, with the rules that extract the value from the payload. */
export interface ValueSource {
  topic: string;
  kind: ValueKind;
  /** Template that extracts the value; null if the payload is the value. */
  template: TemplateExpression | null;
  /** Whether the template reads JSON members. */
  json: boolean;
  /** Names of the members on the JSON path that the template reads, innermost first. */
  path: string[];
  scale: UnitScale;
  degrees: 'C' | 'F';
  /** Reason to refuse every message on the topic. Undefined if messages can be read. */
  refusal?: string;
}

/** Returns the source of a value in a discovery configuration; null if the configuration has no topic for the value. */
export function findValueSource(
  config: Json,
  given: { topic: string | null; template: string; kind: ValueKind; scale?: UnitScale; unit?: 'C' | 'F' },
): ValueSource | null {
  if (given.topic === null) return null;
  const text = getConfigText(config, given.template);
  const template = text === null ? null : parseTemplate(text);
  const { topic, kind, scale = {}, unit = 'C' } = given;
  return {
    topic,
    kind,
    template,
    json: isJsonTemplate(template),
    path: listMemberNamesInTemplate(template),
    scale,
    degrees: unit,
    ...(text !== null && template === null ? { refusal: `the template ${text.slice(0, 80)} cannot be evaluated` } : {}),
  };
}
