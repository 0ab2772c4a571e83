/**
 * What the wildcards of a topic filter (MQTT: `+`, `#`) stand for in a topic; null where it does not match. An empty list:
 * it has no wildcards, or they stand for nothing.
 */
function matchFilter(filter: string, topic: string): string[] | null {
  const levels = topic.split('/');
  const wanted = filter.split('/');
  const wild: string[] = [];
  for (const [index, want] of wanted.entries()) {
    if (want === '#') return index === wanted.length - 1 ? [...wild, ...levels.slice(index)] : null;
    const level = levels[index];
    if (level === undefined || (want !== '+' && want !== level)) return null;
    if (want === '+') wild.push(level);
  }
  return levels.length === wanted.length ? wild : null;
}

/**
 * Whether packs come on a topic (`filters`: by its owner), and how a device is called there that has no name of its own:
 * as the wildcards have it. Null: somebody else's topic.
 */
export function parseSenmlTopic(topic: string, filters: readonly string[]): { device: string } | null {
  for (const filter of filters) {
    const wild = matchFilter(filter, topic);
    if (wild) return { device: wild.join('/') || (topic.split('/').at(-1) ?? topic) };
  }
  return null;
}
