import { usableMemoryBytes } from '#src/core/memory.ts';
import { ByteRing } from './byte-ring.ts';
import type { Head } from './head.ts';
import { packHead, type SeriesNames, seriesNames, unpackHead } from './head-record.ts';

/**
 * Most that is taken unless it was said otherwise (`HEAD_MEMORY_MIB`), and the part of what the process may use. A meter takes 464 bytes
 * of it, and 8 to 16 beside it for its key, so 512 MiB are 1.15 million meters. Those that are
 * remembered for longest give way: with a little more meters than that, which send in turns, each has given way before it is heard again.
 */
const MAX_BYTES = 512 * 2 ** 20;
const MAX_PART = 1 / 4;

/** Bytes in which heads are remembered, where nobody says: the system gives them as devices are heard. */
export function headMemoryBytes(mayUse = usableMemoryBytes()): number {
  return Math.min(MAX_BYTES, Math.floor(mayUse * MAX_PART));
}

/** So long nothing is remembered after others wrote many of the same devices. */
const AWAY_MS = 10_000;

/**
 * Heads of devices as this worker wrote them last. It may be wrong at any time (another worker wrote, an owner changed a
 * setting), and then does no harm: what is planned on it is refused by the version, and forgotten.
 */
export interface HeadMemory {
  get(deviceId: string): Head | null;
  /** Where the records of devices lie among `records`, in bytes; -1: it is not remembered. */
  placesOf(deviceIds: readonly string[]): Float64Array;
  /** What is remembered, as it lies in memory (head-record.ts): it holds until the next `set`. */
  records(): { readonly ring: ByteRing; readonly names: SeriesNames };
  /** Stores a settled head, and evicts any other. */
  set(head: Head): void;
  evict(deviceIds: Iterable<string>): void;
  /**
   * Others write these devices, too: for a while nothing is remembered, and each batch loads what it needs under locks. Else
   * workers that share their messages would plan nearly every batch twice.
   */
  disable(): void;
}

/** `maxBytes`: 0 remembers nothing. `now`: clock, Unix ms. */
export function headMemory({
  maxBytes = headMemoryBytes(),
  now = Date.now,
}: {
  maxBytes?: number;
  now?: () => number;
} = {}): HeadMemory {
  const ring = new ByteRing(maxBytes);
  let names = seriesNames();
  let awayUntilMs = 0;
  return {
    get: (deviceId) => unpackHead(ring, names, deviceId),
    placesOf: (deviceIds) => ring.placesOf(deviceIds),
    records: () => ({ ring, names }),
    set(head) {
      if (names.isFull()) {
        names = seriesNames();
        ring.clear();
      }
      if (!head.isSettled || now() < awayUntilMs) ring.delete(head.deviceId);
      else packHead(ring, names, head);
    },
    evict(deviceIds) {
      for (const deviceId of deviceIds) ring.delete(deviceId);
    },
    disable() {
      ring.clear();
      awayUntilMs = now() + AWAY_MS;
    },
  };
}
