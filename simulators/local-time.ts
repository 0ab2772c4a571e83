import { DAY_MS } from '#src/core/units.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns the local time in an IANA time zone, to the second and without an offset: `2026-02-02T01:00:00`. */
export function formatLocalTime(atMs: number, tz: string): string {
  let format = formats.get(tz);
  if (!format) {
    // The Swedish locale formats dates like ISO 8601.
    format = new Intl.DateTimeFormat('sv-SE', { timeZone: tz, dateStyle: 'short', timeStyle: 'medium' });
    formats.set(tz, format);
  }
  return format.format(atMs).replace(' ', 'T');
}

/** Returns the start of the local day that contains a time, in Unix ms. A day on which the clocks change has 23 or 25 hours. */
export function getLocalMidnightMs(atMs: number, tz: string): number {
  const wallMs = (ms: number) => Date.parse(`${formatLocalTime(ms, tz)}Z`) + (ms % 1000);
  const midnightWallMs = Math.floor(wallMs(atMs) / DAY_MS) * DAY_MS;
  const guessMs = midnightWallMs - (wallMs(atMs) - atMs);
  // The UTC offset at midnight may differ from the offset at the given time.
  return midnightWallMs - (wallMs(guessMs) - guessMs);
}
