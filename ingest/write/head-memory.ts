import { type Head, pack, unpack } from './head.ts';

/** A meter takes some 370 bytes: half of it remembers 90,000. Those that were not heard for longest give way. */
const MAX_BYTES = 64 * 2 ** 20;
/** What an entry takes beside its characters. */
const ENTRY_BYTES = 120;
/** So long nothing is remembered after others wrote many of the same devices. */
const AWAY_MS = 10_000;

/**
 * Heads of devices as this worker wrote them last. It may be wrong at any time (another worker wrote, an owner changed a
 * setting), and then does no harm: what is planned on it is refused by the version, and forgotten.
 */
export interface HeadMemory {
  get(deviceId: string): Head | null;
  /** Keeps a settled head, and forgets another. */
  set(head: Head): void;
  forget(deviceIds: Iterable<string>): void;
  /**
   * Others write these devices, too: for a while nothing is remembered, and each batch loads what it needs under locks. Else
   * workers that share their messages would plan nearly every batch twice.
   */
  stayAway(): void;
}

/** `maxBytes`: 0 remembers nothing. `now`: clock, Unix ms. */
export function headMemory({
  maxBytes = MAX_BYTES,
  now = Date.now,
}: {
  maxBytes?: number;
  now?: () => number;
} = {}): HeadMemory {
  // Two halves: when the younger one is full, the older one is dropped. (A map that deletes its first key each time would go
  // through all that were deleted before.)
  let [young, old] = [new Map<string, string>(), new Map<string, string>()];
  let youngBytes = 0;
  let awayUntilMs = 0;
  const bytesOf = (deviceId: string, packed: string) => deviceId.length + packed.length + ENTRY_BYTES;
  function forgetOne(deviceId: string): void {
    const packed = young.get(deviceId);
    if (packed !== undefined) youngBytes -= bytesOf(deviceId, packed);
    young.delete(deviceId);
    old.delete(deviceId);
  }
  return {
    get(deviceId) {
      const packed = young.get(deviceId) ?? old.get(deviceId);
      return packed === undefined ? null : unpack(deviceId, packed);
    },
    set(head) {
      const { deviceId } = head;
      const before = young.get(deviceId);
      if (!head.isSettled || maxBytes === 0 || now() < awayUntilMs) return forgetOne(deviceId);
      const packed = pack(head);
      if (before === undefined) old.delete(deviceId);
      else youngBytes -= bytesOf(deviceId, before);
      young.set(deviceId, packed);
      youngBytes += bytesOf(deviceId, packed);
      if (youngBytes <= maxBytes / 2) return;
      [young, old] = [new Map(), young];
      youngBytes = 0;
    },
    forget(deviceIds) {
      for (const deviceId of deviceIds) forgetOne(deviceId);
    },
    stayAway() {
      [young, old] = [new Map(), new Map()];
      youngBytes = 0;
      awayUntilMs = now() + AWAY_MS;
    },
  };
}
