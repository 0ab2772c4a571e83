import { DateTime } from 'luxon';

/** Formats an hour of the day for responses: `07:00`. */
export const formatHour = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

/**
 * Returns the hour of the day of an instant in a zone. UTC has a fast path, because it is the most frequent zone, and a response needs
 * thirty of them.
 */
export const hourOfDay = (instant: Date, zone: string): number =>
  zone === 'UTC' ? instant.getUTCHours() : DateTime.fromJSDate(instant, { zone }).hour;
