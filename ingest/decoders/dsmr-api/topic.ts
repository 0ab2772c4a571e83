/** `DSMR-API`, or the name of a dongle that its maker sells (`P1-Dongle-Pro`, `Eth-Dongle-Pro`). */
const ROOT = /^(dsmr-api|(p1|eth|dsmr)-dongle(-[a-z0-9]+)*)$/i;
const MAC = /^[0-9A-Fa-f]{12}$/;

export interface DsmrApiTopic {
  /** The dongle's MAC where it is in the topic, otherwise the topic without its last word. */
  device: string;
  field: string;
  /** Whether the topic alone says that it is a dongle's; a changed one must be known by its body. */
  certain: boolean;
}

/** Reads `DSMR-API/{field}`, `DSMR-API/{mac}/{field}`, or any other prefix before a field; null where there is no prefix. */
export function parseTopic(topic: string): DsmrApiTopic | null {
  const words = topic.split('/');
  const field = words.pop();
  const last = words.at(-1);
  if (!field || !last) return null;
  return { device: MAC.test(last) ? last : words.join('/'), field, certain: ROOT.test(words[0] ?? '') };
}
