import { getUsableMemoryBytes } from '#src/core/memory.ts';
import { ByteRing } from './byte-ring.ts';
import type { DeviceHead } from './head.ts';
import { createSeriesNameRegistry, packHead, unpackHead } from './head-record.ts';

/**
 * MAX_BYTES: maximum memory for the cache in bytes if `HEAD_MEMORY_MIB` is not set. MAX_PART: maximum fraction of the memory that the
 * process may use. A meter takes 464 bytes, and 8 to 16 more for its key, so 512 MiB contain 1.15 million meters. The oldest heads (states
 * of devices) are evicted first. If the meters are slightly too many and send in turn, each head is therefore evicted before the next
 * message of its meter.
 */
const MAX_BYTES = 512 * 2 ** 20;
const MAX_PART = 1 / 4;

/**
 * Returns the default size of the cache for heads (stored states of devices), in bytes. The operating system provides memory only when it
 * is first written.
 */
export function computeDefaultHeadCacheBytes(mayUse = getUsableMemoryBytes()): number {
  return Math.min(MAX_BYTES, Math.floor(mayUse * MAX_PART));
}

/** Time for which the cache is disabled after it has turned out that another worker writes many of the same devices, ms. */
const DISABLED_MS = 10_000;

/**
 * Creates a cache of heads (the stored states of devices) as this worker last wrote them. A cached head may be stale, because another
 * worker has written the device or an owner has changed a setting. This does no harm: the database rejects a batch that is based on an
 * outdated version, and the writer then evicts the head. `maxBytes`: 0 disables the cache. `now`: clock, Unix ms.
 */
export function createHeadCache({
  maxBytes = computeDefaultHeadCacheBytes(),
  now = Date.now,
}: {
  maxBytes?: number;
  now?: () => number;
} = {}) {
  const ring = new ByteRing(maxBytes);
  let names = createSeriesNameRegistry();
  let disabledUntilMs = 0;
  return {
    get: (deviceId: string) => unpackHead(ring, names, deviceId),
    /** Returns the offset of each device's record in `records`, in bytes; -1 for a device that is not cached. */
    offsetsOf: (deviceIds: readonly string[]) => ring.offsetsOf(deviceIds),
    /**
     * Returns the cached heads (states of devices) in their memory layout (head-record.ts). The result is valid until the next call of
     * `set`.
     */
    records: () => ({ ring, names }),
    /** Caches the head (state) of a device. If the device is not settled, evicts it instead. */
    set(head: DeviceHead): void {
      if (names.isFull()) {
        names = createSeriesNameRegistry();
        ring.clear();
      }
      if (!head.isSettled || now() < disabledUntilMs) ring.delete(head.deviceId);
      else packHead(ring, names, head);
    },
    evict(deviceIds: Iterable<string>): void {
      for (const deviceId of deviceIds) ring.delete(deviceId);
    },
    /**
     * Disables the cache for a while, so that each batch loads and locks its heads (states of devices). If several workers served the same
     * devices from their caches, nearly every batch would have to be planned twice.
     */
    disable(): void {
      ring.clear();
      disabledUntilMs = now() + DISABLED_MS;
    },
  };
}

export type HeadCache = ReturnType<typeof createHeadCache>;
