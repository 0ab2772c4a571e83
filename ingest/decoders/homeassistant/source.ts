import type { SaidKind } from '../family.ts';
import type { Json } from '../read/payload.ts';
import { textField } from './abbreviations.ts';
import { needsJson, pathNames } from './evaluate.ts';
import { type Expression, parseTemplate } from './template.ts';
import type { Scale } from './units.ts';

/** A topic on which one value of an entity comes, and how it is read there. */
export interface Source {
  topic: string;
  kind: SaidKind;
  /** Null: the payload is the value. */
  template: Expression | null;
  /** Whether it looks into JSON. */
  json: boolean;
  /** Members that the template reads, the last first. */
  path: string[];
  scale: Scale;
  degrees: 'C' | 'F';
  /** Why nothing on the topic can be used. */
  refusal?: string;
}

/** A source as a configuration tells it; null where it has no topic. */
export function sourceOf(
  config: Json,
  given: { topic: string | null; template: string; kind: SaidKind; scale?: Scale; unit?: 'C' | 'F' },
): Source | null {
  if (given.topic === null) return null;
  const text = textField(config, given.template);
  const template = text === null ? null : parseTemplate(text);
  const { topic, kind, scale = {}, unit = 'C' } = given;
  return {
    topic,
    kind,
    template,
    json: needsJson(template),
    path: pathNames(template),
    scale,
    degrees: unit,
    ...(text !== null && template === null ? { refusal: `the template ${text.slice(0, 80)} cannot be evaluated` } : {}),
  };
}
