import { matchFilter } from '../read/topic-filter.ts';

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
