import { DateTime } from 'luxon';
import { HOUR_MS } from '#src/core/units.ts';

/** Formats an hour of the day for responses: `07:00`. */
export const formatHour = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

/** Returns the local hour (0 to 23) of a time, in Unix ms. Faster for UTC, the most frequent zone. */
export const getHourOfDay = (ms: number, zone: string): number =>
  zone === 'UTC' ? Math.floor(ms / HOUR_MS) % 24 : DateTime.fromMillis(ms, { zone }).hour;
