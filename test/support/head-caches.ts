import { createHeadCache, type HeadCache } from '#ingest/write/head-cache.ts';

/**
 * Memory limit of the cache of device states in tests, which have few devices. The service's default of 512 MiB is too much for the
 * thousands of caches that tests create.
 */
const ALL_BYTES = 256 * 1024;
export const HEAD_CACHE_KINDS = ['none', 'one', 'all', 'dropped'] as const;

/**
 * Creates a writer's cache of heads (states of devices). `none` caches nothing, `one` one device, `all` all devices; `dropped` evicts a
 * head on every third look-up. The service disables its cache for a while if other writers update the same devices. This cache is never
 * disabled, so that tests often plan on outdated heads.
 */
export function createTestHeadCache(kind: (typeof HEAD_CACHE_KINDS)[number]): HeadCache {
  const memory = createHeadCache({ maxBytes: kind === 'none' ? 0 : kind === 'one' ? 800 : ALL_BYTES });
  const cachedIds = new Set<string>();
  let asked = 0;
  const dropsNext = () => kind === 'dropped' && ++asked % 3 === 0;
  return {
    ...memory,
    get(deviceId) {
      if (dropsNext()) memory.evict([deviceId]);
      return memory.get(deviceId);
    },
    records() {
      memory.evict([...cachedIds].filter(dropsNext));
      return memory.records();
    },
    set(head) {
      cachedIds.add(head.deviceId);
      memory.set(head);
    },
    disable() {},
  };
}
