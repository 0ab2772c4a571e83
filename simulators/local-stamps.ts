import { DateTime } from 'luxon';

/**
 * Returns a parser for the local times of one file, in file order: `2026-10-25T02:30` becomes Unix ms. In the hour that is repeated when
 * the clocks go back, the order of rows decides. If a time is not later than that of the previous row (not earlier, in a file from new to
 * old), it is in the other of the two hours. Null: the clock never showed that time.
 */
export function createLocalTimeParser(zone: string): (local: string) => number | null {
  let beforeMs: number | null = null;
  /** Whether the file is ordered from old to new; null until known. */
  let isRising: boolean | null = null;
  return (local) => {
    const time = DateTime.fromISO(local, { zone });
    // Luxon moves a time that the clock skipped to one that exists.
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
