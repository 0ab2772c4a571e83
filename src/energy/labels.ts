import { DateTime } from 'luxon';

/** Formats an hour of the day for responses: `07:00`. */
export const formatHour = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

/** Returns the local hour (0 to 23) of a time. Faster for UTC, the most frequent zone. */
export const getHourOfDay = (instant: Date, zone: string): number =>
  zone === 'UTC' ? instant.getUTCHours() : DateTime.fromJSDate(instant, { zone }).hour;
