import { type Head, pack, unpack } from './head.ts';

/** A meter takes 470 bytes (measured, 100,000 of them): this remembers 140,000. Those that are remembered for longest give way. */
const MAX_BYTES = 64 * 2 ** 20;
/** What an entry takes beside its characters. */
const ENTRY_BYTES = 170;
/** Part of what is remembered that gives way when there is no more room. */
const FORGOTTEN_AT_ONCE = 0.1;
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
  const heads = new Map<string, string>();
  let bytes = 0;
  let awayUntilMs = 0;
  const bytesOf = (deviceId: string, packed: string) => deviceId.length + packed.length + ENTRY_BYTES;
  function forgetOne(deviceId: string): void {
    const packed = heads.get(deviceId);
    if (packed === undefined) return;
    bytes -= bytesOf(deviceId, packed);
    heads.delete(deviceId);
  }
  return {
    get(deviceId) {
      const packed = heads.get(deviceId);
      return packed === undefined ? null : unpack(deviceId, packed);
    },
    set(head) {
      const { deviceId } = head;
      if (!head.isSettled || now() < awayUntilMs) return forgetOne(deviceId);
      const packed = pack(head);
      const before = heads.get(deviceId);
      bytes += bytesOf(deviceId, packed) - (before === undefined ? 0 : bytesOf(deviceId, before));
      heads.set(deviceId, packed);
      if (bytes <= maxBytes) return;
      // A part at once: to find a map's first key costs as much as keys were deleted before it.
      let toForget = Math.ceil(heads.size * FORGOTTEN_AT_ONCE);
      for (const first of heads.keys()) {
        if (toForget-- === 0) break;
        forgetOne(first);
      }
    },
    forget(deviceIds) {
      for (const deviceId of deviceIds) forgetOne(deviceId);
    },
    stayAway() {
      heads.clear();
      bytes = 0;
      awayUntilMs = now() + AWAY_MS;
    },
  };
}
