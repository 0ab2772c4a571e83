import { isCommandTopic, type Mapped } from '#src/devices/mapping.ts';
import { matchFilter } from '../read/topic-filter.ts';

/** A mapping that names a topic, and the device that it names there. */
export interface Named {
  mapped: Mapped;
  device: string;
}

/** The mappings whose filter names the topic, with the device of each. */
export function namedOn(topic: string, mapping: readonly Mapped[]): Named[] {
  if (isCommandTopic(topic)) return [];
  return mapping.flatMap((mapped) => {
    const wild = matchFilter(mapped.topic, topic);
    if (!wild) return [];
    if (!mapped.topic.includes('+')) return [{ mapped, device: mapped.device ?? topic }];
    // What `#` stands for names no device.
    const name = wild.slice(0, mapped.topic.split('+').length - 1).join('/');
    // A function: `$` in a name is a name's.
    return [{ mapped, device: (mapped.device ?? '+').replace('+', () => name) }];
  });
}
