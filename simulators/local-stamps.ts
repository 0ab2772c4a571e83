import { DateTime } from 'luxon';

/**
 * Reads the local stamps of one file, in its order: `2026-10-25T02:30` as Unix ms. In the hour that comes twice when the clock goes back,
 * the order of the rows tells which of the two a stamp is in: a stamp that is not later than the row before it (not earlier, in a file
 * from new to old) is in the other one. Null: the clock never showed that time.
 */
export function localStamps(zone: string): (local: string) => number | null {
  let beforeMs: number | null = null;
  /** Whether the file goes from old to new; null: not known yet. */
  let isRising: boolean | null = null;
  return (local) => {
    const time = DateTime.fromISO(local, { zone });
    // Luxon moves a time that was jumped over to one that exists.
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

/** `2026-10-25T02:30` and `2026-10-25T02:30:00.5` as luxon prints them. */
const withSeconds = (local: string): string => {
  const [, minutes = '', seconds = ':00'] = /^(.{16})(:\d\d)?/.exec(local) ?? [];
  return minutes + seconds;
};
