import { isKnown } from './names.ts';

/** What is on a topic of ebusd. `device`: the topic of the circuit. */
export type EbusdTopic =
  | { about: 'message'; device: string; name: string; field: string | null }
  /** Requests, and what ebusd says of itself. */
  | { about: 'nothing' };

const TOPIC = /^((?:.+\/)?ebusd[\w-]*\/([^/]+))\/([^/]+)(?:\/([^/]+))?$/i;
/** Another root: then the name alone tells whose it is. */
const OWN_ROOT = /^(.+\/[^/]+)\/([A-Za-z0-9]+)$/;
const REQUESTS = new Set(['get', 'set', 'list']);

/** Reads `ebusd/{circuit}/{name}`, with a field where it is told by field, and known names below any root; null for every other topic. */
export function parseEbusdTopic(topic: string): EbusdTopic | null {
  const [, device, circuit, name, field] = TOPIC.exec(topic) ?? [];
  if (device && name) {
    if (circuit === 'global' || REQUESTS.has(name) || (field && REQUESTS.has(field))) return { about: 'nothing' };
    return { about: 'message', device, name, field: field ?? null };
  }
  const [, ofCircuit, known] = OWN_ROOT.exec(topic) ?? [];
  return ofCircuit && known && isKnown(known)
    ? { about: 'message', device: ofCircuit, name: known, field: null }
    : null;
}
