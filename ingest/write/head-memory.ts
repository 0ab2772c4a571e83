import { getUsableMemoryBytes } from '#src/core/memory.ts';
import { ByteRing } from './byte-ring.ts';
import type { DeviceHead } from './head.ts';
import { createSeriesNames, packHead, unpackHead } from './head-record.ts';

/**
 * Maximum memory in bytes if `HEAD_MEMORY_MIB` is not set. `MAX_PART`: maximum as a fraction of the memory that the process may use. A
 * meter takes 464 bytes, and 8 to 16 more for its key, so 512 MiB hold 1.15 million meters. The oldest heads (states of devices) are
 * evicted first: if slightly more meters send in turn, each head is evicted before its meter's next message.
 */
const MAX_BYTES = 512 * 2 ** 20;
const MAX_PART = 1 / 4;

/**
 * Returns the default memory for heads (the cached states of devices), in bytes. The operating system allocates memory only as it is
 * written.
 */
export function computeDefaultHeadCacheBytes(mayUse = getUsableMemoryBytes()): number {
  return Math.min(MAX_BYTES, Math.floor(mayUse * MAX_PART));
}

/** Time for which the cache is disabled after another worker has written many of the same devices, ms. */
const DISABLED_MS = 10_000;

/**
 * Creates a cache of heads (the stored states of devices), as this worker last wrote them. A cached head may be stale at any time, because
 * another worker wrote the device or an owner changed a setting. This does no harm: the database rejects a plan on an outdated version, and
 * the writer then evicts the head. `maxBytes`: 0 disables the cache. `now`: clock, Unix ms.
 */
export function createHeadCache({
  maxBytes = computeDefaultHeadCacheBytes(),
  now = Date.now,
}: {
  maxBytes?: number;
  now?: () => number;
} = {}) {
  const ring = new ByteRing(maxBytes);
  let names = createSeriesNames();
  let disabledUntilMs = 0;
  return {
    get: (deviceId: string) => unpackHead(ring, names, deviceId),
    /** Returns the offsets of the devices' records in `records`, in bytes; -1 for a device that is not cached. */
    offsetsOf: (deviceIds: readonly string[]) => ring.offsetsOf(deviceIds),
    /** Returns the records in their memory layout (head-record.ts). Valid until the next `set`. */
    records: () => ({ ring, names }),
    /** Caches the head of a device if it is settled; otherwise evicts the device. */
    set(head: DeviceHead): void {
      if (names.isFull()) {
        names = createSeriesNames();
        ring.clear();
      }
      if (!head.isSettled || now() < disabledUntilMs) ring.delete(head.deviceId);
      else packHead(ring, names, head);
    },
    evict(deviceIds: Iterable<string>): void {
      for (const deviceId of deviceIds) ring.delete(deviceId);
    },
    /**
     * Disables the cache for a while, so that each batch loads its heads (states of devices) under locks. If workers that serve the same
     * devices used their caches, nearly every batch would be planned twice.
     */
    disable(): void {
      ring.clear();
      disabledUntilMs = now() + DISABLED_MS;
    },
  };
}

export type HeadCache = ReturnType<typeof createHeadCache>;
