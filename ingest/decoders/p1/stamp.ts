import { parseIsoTime } from '../read/time.ts';

const STAMP = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)([SW]?)$/;
/** UTC offsets of summer and winter time in the countries with P1 ports. */
const OFFSETS: Record<string, string> = { S: '+02:00', W: '+01:00' };

/**
 * Parses a meter's time (`211205210829W`; the letter means summer or winter time) into Unix ms. Without the letter, it is local time in the
 * zone `tz`. Returns null if it is no valid time.
 */
export function parseP1Timestamp(
  text: unknown,
  options: { tz?: string | undefined; receivedAtMs: number },
): number | null {
  if (typeof text !== 'string' || text.length > 20) return null;
  const [, year, month, day, hour, minute, second, season] = STAMP.exec(text.trim()) ?? [];
  if (year === undefined) return null;
  return parseIsoTime(`20${year}-${month}-${day}T${hour}:${minute}:${second}${OFFSETS[season ?? ''] ?? ''}`, options);
}
