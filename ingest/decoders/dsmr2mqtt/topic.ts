/** What dsmr2mqtt publishes on, beneath its prefix. */
const LEAVES = new Set(['el', 'gas', 'system', 'status', 'sw-version']);

export interface Dsmr2mqttTopic {
  /** The prefix, `dsmr` unless changed. */
  prefix: string;
  leaf: string;
}

/**
 * Reads `dsmr/el` and its neighbours. A changed prefix must have `dsmr` in its last word, as `el` alone is anybody's, and its
 * `status` is not read, as ESPHome publishes there, too. Null for every other topic, DSMR-reader's among them.
 */
export function parseTopic(topic: string): Dsmr2mqttTopic | null {
  const words = topic.split('/');
  const leaf = words.pop() ?? '';
  const last = words.at(-1)?.toLowerCase() ?? '';
  if (!LEAVES.has(leaf) || !last.includes('dsmr') || last === 'dsmr-api') return null;
  if (leaf === 'status' && last !== 'dsmr') return null;
  return { prefix: words.join('/'), leaf };
}
