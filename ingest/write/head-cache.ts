import { getUsableMemoryBytes } from '#src/core/memory.ts';
import { ByteRing } from './byte-ring.ts';
import type { DeviceHead } from './head.ts';
import { createSeriesNameRegistry, packDeviceHead, unpackDeviceHead } from './head-record.ts';

/** Default maximum size of the cache in bytes, enough for 1.15 million meters. `MAX_PART`: maximum fraction of the process memory. */
const MAX_BYTES = 512 * 2 ** 20;
const MAX_PART = 1 / 4;

/** Returns the default size in bytes of the cache for states of devices. */
export function computeDefaultDeviceHeadCacheBytes(mayUse = getUsableMemoryBytes()): number {
  return Math.min(MAX_BYTES, Math.floor(mayUse * MAX_PART));
}

/** Time in ms for which the cache is disabled after another worker has written many of the cached devices. */
const DISABLED_MS = 10_000;

/**
 * Creates a cache of the states of devices that this worker has written. A cached state may be outdated, because another worker or the
 * owner has changed the device. The database then rejects the batch, and the writer evicts the state. `maxBytes`: 0 disables the cache.
 * `now`: clock, Unix ms.
 */
export function createDeviceHeadCache({
  maxBytes = computeDefaultDeviceHeadCacheBytes(),
  now = Date.now,
}: {
  maxBytes?: number;
  now?: () => number;
} = {}) {
  const ring = new ByteRing(maxBytes);
  let names = createSeriesNameRegistry();
  let disabledUntilMs = 0;
  return {
    get: (deviceId: string) => unpackDeviceHead(ring, names, deviceId),
    /** Returns the offset of each device's record, in bytes; -1 if there is none. */
    offsetsOf: (deviceIds: readonly string[]) => ring.offsetsOf(deviceIds),
    /** Returns the cached records (head-record.ts). The result is valid until the next call of `set`. */
    records: () => ({ ring, names }),
    /**
     * Caches the state of a device. If `isSettled` is false, a later reading would also change other columns of the device, so this
     * function evicts the state instead.
     */
    set(head: DeviceHead): void {
      if (names.isFull()) {
        names = createSeriesNameRegistry();
        ring.clear();
      }
      if (!head.isSettled || now() < disabledUntilMs) ring.delete(head.deviceId);
      else packDeviceHead(ring, names, head);
    },
    evict(deviceIds: Iterable<string>): void {
      for (const deviceId of deviceIds) ring.delete(deviceId);
    },
    /**
     * Disables the cache for a while. If several workers served the same devices from their caches, nearly every batch would have to be
     * repeated.
     */
    disable(): void {
      ring.clear();
      disabledUntilMs = now() + DISABLED_MS;
    },
  };
}

export type DeviceHeadCache = ReturnType<typeof createDeviceHeadCache>;
