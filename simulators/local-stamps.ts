import { DateTime } from 'luxon';

/**
 * Returns a parser for the local times of one file. The parser must be called in the order of the rows. It converts `2026-10-25T02:30` to
 * Unix ms, and returns null for a local time that does not exist. An hour occurs twice when the clocks go back; there the order decides. If
 * a time is not later than that of the previous row (in a file from new to old: not earlier), it belongs to the other of the two hours.
 */
export function createLocalTimeParser(zone: string): (local: string) => number | null {
  let beforeMs: number | null = null;
  /** Whether the file's times ascend; null until known. */
  let isRising: boolean | null = null;
  return (local) => {
    const time = DateTime.fromISO(local, { zone });
    // Luxon changes a local time that does not exist to one that does, so the result must be compared with the input.
    if (!time.isValid || time.toFormat("yyyy-MM-dd'T'HH:mm:ss") !== withSeconds(local)) return null;
    const known: number[] = time
      .getPossibleOffsets()
      .map((one) => one.toMillis())
      .sort((a, b) => a - b);
    const inOrder = isRising === false ? known.toReversed() : known;
    const follows = (ms: number) => beforeMs === null || (isRising === false ? ms < beforeMs : ms > beforeMs);
    const atMs: number = inOrder.find(follows) ?? (inOrder[0] as number);
    if (beforeMs !== null && isRising === null && known.length === 1 && atMs !== beforeMs) isRising = atMs > beforeMs;
    beforeMs = atMs;
    return atMs;
  };
}

/** Formats `2026-10-25T02:30` and `2026-10-25T02:30:00.5` like luxon. */
const withSeconds = (local: string): string => {
  const [, minutes = '', seconds = ':00'] = /^(.{16})(:\d\d)?/.exec(local) ?? [];
  return minutes + seconds;
};
