import { DAY_MS } from '#src/core/units.ts';

/** A stretch of time in UTC, `[from, to)`. */
export interface Window {
  from: Date;
  to: Date;
}

/** The start of the UTC day after the one that starts at `day`. */
export const dayAfter = (day: Date): Date => new Date(day.getTime() + DAY_MS);

/** Cuts a window into parts of so many days; the last may be shorter. */
export function parts({ from, to }: Window, mostDays: number): Window[] {
  const windows: Window[] = [];
  for (let ms = from.getTime(); ms < to.getTime(); ms += mostDays * DAY_MS) {
    windows.push({ from: new Date(ms), to: new Date(Math.min(to.getTime(), ms + mostDays * DAY_MS)) });
  }
  return windows;
}

/** Puts windows that follow each other without a gap together, up to so many days; windows in order, none over another. */
export function joined(windows: readonly Window[], mostDays: number): Window[] {
  const result: Window[] = [];
  for (const { from, to } of windows) {
    const last = result.at(-1);
    if (last?.to.getTime() === from.getTime() && to.getTime() - last.from.getTime() <= mostDays * DAY_MS) last.to = to;
    else result.push({ from, to });
  }
  return result;
}
