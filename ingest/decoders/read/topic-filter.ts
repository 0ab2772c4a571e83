/**
 * What the wildcards of a topic filter (MQTT: `+`, `#`) stand for in a topic; null where it does not match. An empty list:
 * it has no wildcards, or they stand for nothing.
 */
export function matchFilter(filter: string, topic: string): string[] | null {
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
