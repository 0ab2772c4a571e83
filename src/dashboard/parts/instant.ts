/** How far the clocks of a zone are ahead of UTC at an instant, ms. */
function offsetMs(zone: string, ms: number): number {
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  const wholeMs = Math.floor(ms / 1_000) * 1_000;
  return Date.parse(`${clock.format(wholeMs).replace(' ', 'T')}Z`) - wholeMs;
}

const DAY_MS = 86_400_000;

/**
 * The instant (ISO 8601, UTC) at which the clocks of a zone (IANA name) show what an input of the kind `datetime-local` has. An hour that
 * comes twice is the first of the two; one that is left out is as if the clocks had gone on. '' where it has nothing.
 */
export function instantIn(zone: string, local: string): string {
  const shownMs = Date.parse(`${local}Z`);
  if (Number.isNaN(shownMs)) return '';
  const [before, after] = [offsetMs(zone, shownMs - DAY_MS), offsetMs(zone, shownMs + DAY_MS)];
  const found = [shownMs - before, shownMs - after].filter((ms) => ms + offsetMs(zone, ms) === shownMs);
  return new Date(found.length > 0 ? Math.min(...found) : shownMs - before).toISOString();
}
