import { DAY_MS } from '#src/core/units.ts';

/** How many days before the end of a key its owner is told, the earliest first. The dashboard marks such keys from the first of them on. */
const NOTICE_DAYS = [7, 1] as const;
/** No notice is due earlier than this after the end was set: who gave a key a day, or a rotated one its overlap, knows it. */
const SETTLED_MS = DAY_MS;

/** No key that ends later than this from now has a notice due. */
export const FIRST_NOTICE_MS = Math.max(...NOTICE_DAYS) * DAY_MS;

/** What decides whether the owner of a key is told that it ends. */
export interface EndingKey {
  expires_at: Date;
  /** When that end was set: with the key, or since. */
  set_at: Date;
  /** The end that was told last, and how many days before it that was due; null where none was. */
  told_end: Date | null;
  told_days: number | null;
}

/**
 * The notice that is due now, as days before the end; null for none. Pure. Of two that are due at once, since no worker ran in between, it
 * is the later one. A moved end is another end: both its notices are due anew.
 */
export function noticeDue({ expires_at, set_at, told_end, told_days }: EndingKey, now: Date): number | null {
  const leftMs = expires_at.getTime() - now.getTime();
  if (leftMs <= 0) return null;
  const days = NOTICE_DAYS.findLast((one) => leftMs <= one * DAY_MS);
  if (days === undefined) return null;
  if (expires_at.getTime() - set_at.getTime() < days * DAY_MS + SETTLED_MS) return null;
  const isTold = told_end?.getTime() === expires_at.getTime() && told_days !== null && told_days <= days;
  return isTold ? null : days;
}
