/** Returns the levels of an MQTT topic that match the wildcards (`+`, `#`) of a topic filter; null if the topic does not match. */
export function matchTopicFilter(filter: string, topic: string): string[] | null {
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
