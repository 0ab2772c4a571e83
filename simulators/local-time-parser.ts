import { DateTime } from 'luxon';

/**
 * Returns a parser for the local times of one file, called in the order of the rows. It converts a time such as `2026-10-25T02:30` to Unix
 * ms, or returns null if the local time does not exist. If a local time occurs twice because clocks go back, the order of the rows decides.
 */
export function createLocalTimeParser(zone: string): (local: string) => number | null {
  let beforeMs: number | null = null;
  /** Whether the times of the file ascend; null until two rows show it. */
  let isRising: boolean | null = null;
  return (local) => {
    const time = DateTime.fromISO(local, { zone });
    // luxon changes a local time that does not exist, so the result is compared with the input.
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

/**
 * Returns a local time in the format `2026-10-25T02:30:00`: adds the seconds to `2026-10-25T02:30`, and removes the fraction from
 * `2026-10-25T02:30:00.5`.
 */
const withSeconds = (local: string): string => {
  const [, minutes = '', seconds = ':00'] = /^(.{16})(:\d\d)?/.exec(local) ?? [];
  return minutes + seconds;
};
