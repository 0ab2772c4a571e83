import { TEMPLATE_PART, type TopicParts } from './form.ts';

/** Values of the parts of a topic, by name. */
export type PartValues = Readonly<Record<string, string>>;

/** A compiled template, and the replacements of the words that its parts match. */
export interface TopicPattern {
  expression: RegExp;
  words: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Converts a template to the source of a regular expression. `capture`: whether its parts become named groups. */
export function patternSourceOf(template: string, parts: TopicParts, capture = false): string {
  const group = (name: string, source: string) => (capture ? `(?<${name}>${source})` : `(?:${source})`);
  return template
    .split(/(\{[a-z_]+[+*]?\}\/?)/)
    .map((piece) => {
      const [, name, levels, slash] = /^\{([a-z_]+)([+*]?)\}(\/?)$/.exec(piece) ?? [];
      if (name === undefined) return escaped(piece);
      // `*` matches any number of levels including the slash after them, or nothing.
      if (levels === '*') return `(?:${group(name, '.*')}\\/)?`;
      return group(name, partSource(parts[name], levels === '+')) + (slash ? '\\/' : '');
    })
    .join('');
}

function partSource(part: TopicParts[string] | undefined, isLong: boolean): string {
  if (typeof part === 'object') return Object.keys(part).map(escaped).join('|');
  return part ?? (isLong ? '.+' : '[^/]+');
}

/** Compiles a template. `parts`: allowed values of each part. */
export function compilePattern(template: string, parts: TopicParts): TopicPattern {
  const words = Object.entries(parts).flatMap(([name, part]) =>
    typeof part === 'object' ? [[name, part] as const] : [],
  );
  return { expression: new RegExp(`^${patternSourceOf(template, parts, true)}$`), words: new Map(words) };
}

/** Returns the values of the parts in a text; null if the text does not match. */
export function matchPattern({ expression, words }: TopicPattern, text: string): PartValues | null {
  const groups = expression.exec(text)?.groups;
  if (words.size === 0 || !groups) return expression.test(text) ? { ...groups } : null;
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, words.get(name)?.[value] ?? value]));
}

/** Returns a function that fills in a template. A part that the topic lacks is empty. */
export function compileTemplate(template: string): (named: PartValues) => string {
  if (!template.includes('{')) return () => template;
  const pieces = template.split(TEMPLATE_PART);
  // The pieces alternate: text, name, levels, text, name, levels, …
  return (named) =>
    pieces.map((piece, index) => (index % 3 === 0 ? piece : index % 3 === 1 ? (named[piece] ?? '') : '')).join('');
}

/** Maximum number of topics in a family's cache, and the longest topic in it: attackers choose topics. */
const MAX_TOPICS = 1_000;
const MAX_TOPIC_LENGTH = 256;

/** Caches the matches of topics. A full cache is emptied; its topics are then matched again. */
export function cacheByTopic<Match>(match: (topic: string) => readonly Match[]): (topic: string) => readonly Match[] {
  const matches = new Map<string, readonly Match[]>();
  return (topic) => {
    const known = matches.get(topic);
    if (known) return known;
    const found = match(topic);
    if (found.length === 0 || topic.length > MAX_TOPIC_LENGTH) return found;
    if (matches.size >= MAX_TOPICS) matches.clear();
    matches.set(topic, found);
    return found;
  };
}
