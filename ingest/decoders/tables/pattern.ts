import { TEMPLATE_PLACEHOLDER, type TopicPlaceholders } from './form.ts';

/** Values of the placeholders (`{name}`) in a topic, by name. */
export type PlaceholderValues = Readonly<Record<string, string>>;

/** A compiled topic template, and the words that replace the values of its placeholders. */
export interface TopicPattern {
  expression: RegExp;
  words: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Converts a topic template to the source of a regular expression. `capture`: whether each placeholder becomes a named group. */
export function convertTemplateToRegExpSource(template: string, parts: TopicPlaceholders, capture = false): string {
  const group = (name: string, source: string) => (capture ? `(?<${name}>${source})` : `(?:${source})`);
  return template
    .split(/(\{[a-z_]+[+*]?\}\/?)/)
    .map((piece) => {
      const [, name, levels, slash] = /^\{([a-z_]+)([+*]?)\}(\/?)$/.exec(piece) ?? [];
      if (name === undefined) return escaped(piece);
      // A placeholder with `*` matches any number of topic levels, including none, and the slash after the last of them.
      if (levels === '*') return `(?:${group(name, '.*')}\\/)?`;
      return group(name, partSource(parts[name], levels === '+')) + (slash ? '\\/' : '');
    })
    .join('');
}

function partSource(part: TopicPlaceholders[string] | undefined, isLong: boolean): string {
  if (typeof part === 'object') return Object.keys(part).map(escaped).join('|');
  return part ?? (isLong ? '.+' : '[^/]+');
}

/** Compiles a topic template. `parts`: allowed values of each placeholder. */
export function compilePattern(template: string, parts: TopicPlaceholders): TopicPattern {
  const words = Object.entries(parts).flatMap(([name, part]) =>
    typeof part === 'object' ? [[name, part] as const] : [],
  );
  return { expression: new RegExp(`^${convertTemplateToRegExpSource(template, parts, true)}$`), words: new Map(words) };
}

export function matchPattern({ expression, words }: TopicPattern, text: string): PlaceholderValues | null {
  const groups = expression.exec(text)?.groups;
  if (words.size === 0 || !groups) return expression.test(text) ? { ...groups } : null;
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, words.get(name)?.[value] ?? value]));
}

/** Returns a function that fills in a template. A placeholder without a value is replaced by an empty text. */
export function compileTemplate(template: string): (named: PlaceholderValues) => string {
  if (!template.includes('{')) return () => template;
  const pieces = template.split(TEMPLATE_PLACEHOLDER);
  // The pieces alternate: a text, a placeholder's name, and the placeholder's levels (`+`, `*` or empty).
  return (named) =>
    pieces.map((piece, index) => (index % 3 === 0 ? piece : index % 3 === 1 ? (named[piece] ?? '') : '')).join('');
}

/** Maximum number of topics in a family's cache, because attackers can choose topics. */
const MAX_TOPICS = 1_000;
/** Maximum length of a cached topic. */
const MAX_TOPIC_LENGTH = 256;

/** Returns a function that caches the matches of each topic. When the cache is full, it is emptied. */
export function createTopicMatchCache<Match>(
  match: (topic: string) => readonly Match[],
): (topic: string) => readonly Match[] {
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
