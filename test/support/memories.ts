import { type HeadMemory, headMemory } from '#ingest/write/head-memory.ts';

/** Enough for every head of a test's few devices. The service's default takes 512 MiB from the system for each memory, of which a test makes thousands. */
const ALL_BYTES = 256 * 1024;
export const MEMORIES = ['none', 'one', 'all', 'dropped'] as const;

/**
 * What a writer may remember: nothing, one device, all, or all with every third forgotten as it is asked for. None of them gives
 * way to others that write the same devices, as the service's does: each is planned on again and again.
 */
export function memoryOf(kind: (typeof MEMORIES)[number]): HeadMemory {
  const memory = headMemory({ maxBytes: kind === 'none' ? 0 : kind === 'one' ? 800 : ALL_BYTES });
  const kept = new Set<string>();
  let asked = 0;
  const dropsNext = () => kind === 'dropped' && ++asked % 3 === 0;
  return {
    ...memory,
    get(deviceId) {
      if (dropsNext()) memory.evict([deviceId]);
      return memory.get(deviceId);
    },
    records() {
      memory.evict([...kept].filter(dropsNext));
      return memory.records();
    },
    set(head) {
      kept.add(head.deviceId);
      memory.set(head);
    },
    disable() {},
  };
}
