import { DateTime } from 'luxon';

/** An hour of the day as answers show it: `07:00`. */
export const hourLabel = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

/** Hour of the day of an instant in a zone. In UTC without a detour: it is the usual case, thirty times an answer. */
export const hourOfDay = (instant: Date, zone: string): number =>
  zone === 'UTC' ? instant.getUTCHours() : DateTime.fromJSDate(instant, { zone }).hour;
