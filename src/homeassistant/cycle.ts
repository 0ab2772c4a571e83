import { DateTime } from 'luxon';
import { dayRange, firstInstant, type Range } from '#src/energy/ranges.ts';

/**
 * For so long after a month's end its sum goes on being told: meters that send by the hour tell the last of it then. Home Assistant adds what a sum
 * rises by, and then the new month from 0: nothing is lost, and what was used in this hour is told at its end.
 */
const CLOSING_MINUTES = 65;

/** The days that sums of the month are about at a moment, and the day itself, in a zone. Pure. */
export function cycleOf(now: Date, zone: string): { month: Range; day: Range; since: { month: string; day: string } } {
  const today = DateTime.fromJSDate(now, { zone });
  const counted = today.minus({ minutes: CLOSING_MINUTES });
  const first = counted.startOf('month');
  const isClosing = first.month !== today.month;
  const last = isClosing ? counted.endOf('month') : today;
  return {
    month: dayRange(dateOf(first), dateOf(last), zone),
    day: dayRange(dateOf(today), dateOf(today), zone),
    since: { month: isoOf(firstInstant(first, 'month')), day: isoOf(firstInstant(today, 'day')) },
  };
}

const dateOf = (time: DateTime): string => time.toFormat('yyyy-MM-dd');
const isoOf = (time: DateTime): string => time.toISO({ suppressMilliseconds: true }) as string;
