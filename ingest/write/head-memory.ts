import { usableMemoryBytes } from '#src/core/memory.ts';
import { ByteRing } from './byte-ring.ts';
import type { Head } from './head.ts';
import { packHead, type SeriesNames, seriesNames, unpackHead } from './head-record.ts';

/**
 * Maximum memory without `HEAD_MEMORY_MIB`, in bytes and as a part of what the process may use. A meter takes 464 bytes, and 8 to 16 more for
 * its key, so 512 MiB hold 1.15 million meters. The heads that were stored first are evicted: with a few more meters than that, which send in
 * turns, each is evicted before its next message.
 */
const MAX_BYTES = 512 * 2 ** 20;
const MAX_PART = 1 / 4;

/** Default memory of heads, in bytes. The system allocates it as it is written. */
export function headMemoryBytes(mayUse = usableMemoryBytes()): number {
  return Math.min(MAX_BYTES, Math.floor(mayUse * MAX_PART));
}

/** How long the cache is disabled after another worker has written many of the same devices. */
const DISABLED_MS = 10_000;

/**
 * Cache of heads, as this worker wrote them last. A head may be stale at any time (another worker wrote it, an owner changed a setting). That does
 * no harm: the database refuses what was planned on it by its version, and the head is evicted.
 */
export interface HeadMemory {
  get(deviceId: string): Head | null;
  /** Where the records of devices lie in `records`, in bytes; -1: the device is not cached. */
  placesOf(deviceIds: readonly string[]): Float64Array;
  /** The records as they lie in memory (head-record.ts). Valid until the next `set`. */
  records(): { readonly ring: ByteRing; readonly names: SeriesNames };
  /** Stores a settled head, and evicts any other. */
  set(head: Head): void;
  evict(deviceIds: Iterable<string>): void;
  /**
   * Disables the cache for a while: each batch then loads its heads under locks. Otherwise workers that share the messages of devices would
   * plan nearly every batch twice.
   */
  disable(): void;
}

/** `maxBytes`: 0 caches nothing. `now`: clock, Unix ms. */
export function headMemory({
  maxBytes = headMemoryBytes(),
  now = Date.now,
}: {
  maxBytes?: number;
  now?: () => number;
} = {}): HeadMemory {
  const ring = new ByteRing(maxBytes);
  let names = seriesNames();
  let disabledUntilMs = 0;
  return {
    get: (deviceId) => unpackHead(ring, names, deviceId),
    placesOf: (deviceIds) => ring.placesOf(deviceIds),
    records: () => ({ ring, names }),
    set(head) {
      if (names.isFull()) {
        names = seriesNames();
        ring.clear();
      }
      if (!head.isSettled || now() < disabledUntilMs) ring.delete(head.deviceId);
      else packHead(ring, names, head);
    },
    evict(deviceIds) {
      for (const deviceId of deviceIds) ring.delete(deviceId);
    },
    disable() {
      ring.clear();
      disabledUntilMs = now() + DISABLED_MS;
    },
  };
}
