import type { DeviceMessage } from '../family.ts';
import { member, readObject, readText } from '../read/payload.ts';
import { parseEspurnaTopic } from './topic.ts';

/** Roots below which a device has said that its firmware is ESPurna. */
export type Roots = Set<string>;

const MAX_ROOTS = 2_000;
const APP = 'ESPURNA';

/** The root of a message that tells it; null: it does not. */
function toldRoot({ topic, payload }: DeviceMessage): string | null {
  const parsed = parseEspurnaTopic(topic);
  if (parsed?.leaf === 'app') return readText(payload)?.trim() === APP ? parsed.root : null;
  return parsed?.leaf === 'data' && member(readObject(payload), 'app') === APP ? parsed.root : null;
}

/** Whether a topic is one where devices tell their firmware. */
export function tellsApp(topic: string): boolean {
  const leaf = parseEspurnaTopic(topic)?.leaf;
  return leaf === 'app' || leaf === 'data';
}

/** Whether a message tells of a root that is not known. */
export function isNewRoot(roots: Roots, message: DeviceMessage): boolean {
  const root = toldRoot(message);
  return root !== null && !roots.has(root) && roots.size < MAX_ROOTS;
}

/** Learns where a device with ESPurna speaks. */
export function learnRoot(roots: Roots, message: DeviceMessage): void {
  const root = toldRoot(message);
  if (root !== null && roots.size < MAX_ROOTS) roots.add(root);
}
