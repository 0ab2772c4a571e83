import type { DeviceMessage } from '../family.ts';
import { asObject, member, readJson } from '../read/payload.ts';

const TOPIC = /^((?:.+\/)?openWB)\/counter\/get\/hierarchy$/;
/** More elements are no home's. */
const MAX_ELEMENTS = 1_000;

/** By the counters' devices: those that lie behind the one at the grid. */
export type Behind = Map<string, ReadonlySet<string>>;

export const isHierarchy = (topic: string): boolean => TOPIC.test(topic);

/**
 * Learns from `[{"id": 0, "type": "counter", "children": […]}]`: the first element is the meter at the grid. What is among its children
 * lies behind it, and openWB takes what is beside it for no meter at the grid, either. What is not understood teaches nothing.
 */
export function learnHierarchy(memory: Behind, { topic, payload }: DeviceMessage): void {
  const root = TOPIC.exec(topic)?.[1];
  const elements = readJson(payload);
  if (root === undefined || !Array.isArray(elements)) return;
  const behind = new Set<string>();
  const [atGrid, ...beside] = elements.slice(0, MAX_ELEMENTS);
  const isCounter = member(asObject(atGrid), 'type') === 'counter';
  const waiting: unknown[] = isCounter ? [...childrenOf(atGrid), ...beside] : [atGrid, ...beside];
  for (let seen = 0; waiting.length > 0 && seen < MAX_ELEMENTS; seen++) {
    const element = asObject(waiting.pop());
    const id = member(element, 'id');
    if (member(element, 'type') === 'counter' && Number.isSafeInteger(id)) behind.add(`${root}/counter/${id}`);
    waiting.push(...childrenOf(element));
  }
  memory.set(root, behind);
}

/** Whether a device is a counter behind the one at the grid, as far as is known. */
export const isBehind = (memory: Behind, device: string): boolean =>
  memory.get(device.slice(0, device.lastIndexOf('/counter/')))?.has(device) ?? false;

function childrenOf(element: unknown): unknown[] {
  const children = member(asObject(element), 'children');
  return Array.isArray(children) ? children.slice(0, MAX_ELEMENTS) : [];
}
