import { isUsualBase } from '../openevse/topic.ts';

/** Kind of a topic under `emon/` or `emonhub/`. */
export type EmonTopic =
  /** `emon/{node}/{name}`: a value; JSON there has names of its own. */
  | { what: 'name'; node: string; name: string }
  /** `emon/{node}`, `emon/JSON/{node}`: JSON of a node. */
  | { what: 'node'; node: string }
  /** Values by position, commands. */
  | { what: 'other' };

/** Reads a topic of emonHub, EmonESP or what Emoncms reads; null for every other one. */
export function parseEmonTopic(topic: string): EmonTopic | null {
  const [root, node, ...names] = topic.split('/');
  if (root === 'emonhub') return { what: 'other' };
  if (root !== 'emon' || !node) return null;
  // A charger, which has other units for the same names.
  if (isUsualBase(node)) return null;
  if (names.length === 0) return { what: 'node', node };
  // A base topic that emonHub's own example has for its JSON.
  if (node === 'JSON' && names.length === 1 && names[0]) return { what: 'node', node: names[0] };
  // Emoncms joins what comes after the node.
  return { what: 'name', node, name: names.join('_') };
}
