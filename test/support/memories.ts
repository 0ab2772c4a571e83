import { type HeadMemory, headMemory } from '#ingest/write/head-memory.ts';

export const MEMORIES = ['none', 'one', 'all', 'dropped'] as const;

/**
 * What a writer may remember: nothing, one device, all, or all with every third forgotten as it is asked for. None of them gives
 * way to others that write the same devices, as the service's does: each is planned on again and again.
 */
export function memoryOf(kind: (typeof MEMORIES)[number]): HeadMemory {
  const memory = headMemory(kind === 'none' ? { maxBytes: 0 } : kind === 'one' ? { maxBytes: 700 } : {});
  let asked = 0;
  return {
    ...memory,
    get(deviceId) {
      if (kind === 'dropped' && ++asked % 3 === 0) memory.forget([deviceId]);
      return memory.get(deviceId);
    },
    stayAway() {},
  };
}
