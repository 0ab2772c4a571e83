/** Beneath its base topic, which people change: groups and names as nobody else has them. */
const TOPIC = /^(.+)\/(main|extra|s0|opentherm\/(?:write|read))\/([A-Za-z0-9_]+)(?:\/([12]))?$/;
/** Its default, and the ones of those who have two heat pumps. Only there is `LWT` known to be its own. */
const DEFAULT_BASE = /(?:^|\/)panasonic_heat_pump[^/]*$/;

export const isDefaultBase = (base: string): boolean => DEFAULT_BASE.test(base);

export interface HeishaMonTopic {
  base: string;
  /** `main/Z1_Temp`, `s0/Watt`, `LWT`. */
  path: string;
  /** Of an S0 port. */
  port: string;
}

/** Reads the topic of a value; null for every other one. */
export function parseTopic(topic: string): HeishaMonTopic | null {
  if (topic.endsWith('/LWT')) {
    const base = topic.slice(0, -'/LWT'.length);
    return isDefaultBase(base) ? { base, path: 'LWT', port: '' } : null;
  }
  const [, root, group = '', name = '', port = ''] = TOPIC.exec(topic) ?? [];
  return root === undefined || (group === 's0') !== (port !== '')
    ? null
    : { base: root, path: `${group}/${name}`, port };
}
