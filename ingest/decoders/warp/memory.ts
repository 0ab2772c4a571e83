import type { DeviceMessage } from '../family.ts';
import { readJson } from '../read/payload.ts';
import { parseWarpTopic } from './topic.ts';

/** By prefix: which value stands where, of each meter that has any. */
export type WarpMemory = Map<string, Map<number, readonly number[]>>;

const MAX_PREFIXES = 500;
const MAX_IDS = 500;

/** Learns the list of ids of a meter; an empty one says that the slot has no meter. Rubbish changes nothing. */
export function learnIds(memory: WarpMemory, { topic, payload }: DeviceMessage): void {
  const parsed = parseWarpTopic(topic);
  if (parsed?.what !== 'ids') return;
  const ids = readJson(payload);
  if (!Array.isArray(ids) || ids.length > MAX_IDS || !ids.every((id) => Number.isSafeInteger(id) && id >= 0)) return;
  const meters = memory.get(parsed.prefix) ?? new Map<number, readonly number[]>();
  if (ids.length === 0) meters.delete(parsed.slot);
  else meters.set(parsed.slot, ids as number[]);
  if (memory.has(parsed.prefix) || memory.size < MAX_PREFIXES) memory.set(parsed.prefix, meters);
}
