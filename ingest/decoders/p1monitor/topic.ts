import { FIELDS } from './fields.ts';

/** What P1 Monitor publishes beneath its prefix that is nobody else's, and says nothing that is read. */
const OURS =
  /^(.+)\/(smartmeter|phase|powerproduction\/minute|watermeter(?:digital)?\/(?:minute|day)|powergas\/day|financial\/day|miscellaneous|weather|indoor\/temperature)\/([a-z0-9_]+)$/;
const DEFAULT_PREFIX = 'p1monitor';

export interface P1MonitorTopic {
  /** The prefix. */
  prefix: string;
  /** `smartmeter/consumption_kw`. */
  path: string;
}

/**
 * Reads `{prefix}/{group}/{field}`. Below `p1monitor` all of it is P1 Monitor's; below another prefix only fields that are read, of
 * which the names are its own. Null for every other topic.
 */
export function parseTopic(topic: string): P1MonitorTopic | null {
  const [, prefix = '', group, field] = OURS.exec(topic) ?? [];
  if (group === undefined) return null;
  const path = `${group}/${field}`;
  return prefix === DEFAULT_PREFIX || FIELDS.has(path) ? { prefix, path } : null;
}
