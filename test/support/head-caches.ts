import { createDeviceHeadCache, type DeviceHeadCache } from '#ingest/write/head-cache.ts';

/** Memory limit of a cache of device states. It is small, because tests create thousands of caches. */
const ALL_BYTES = 256 * 1024;
export const DEVICE_HEAD_CACHE_KINDS = ['none', 'one', 'all', 'dropped'] as const;

/**
 * Creates a cache of device states. `none` caches nothing, `one` a single device, and `all` all devices; `dropped` loses a state on every
 * third look-up. The service may disable its cache. This cache is never disabled, so that tests often plan with outdated states.
 */
export function createTestDeviceHeadCache(kind: (typeof DEVICE_HEAD_CACHE_KINDS)[number]): DeviceHeadCache {
  const memory = createDeviceHeadCache({ maxBytes: kind === 'none' ? 0 : kind === 'one' ? 800 : ALL_BYTES });
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
