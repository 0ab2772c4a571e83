import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import { createWallClock, getStartOfSubDayUnit } from '../wall-clock.ts';
import { computeBaseLoad, convertQuarterHourToWatts } from './base-load.ts';
import type { QuarterHourEnergies } from './data-source.ts';

/** Hours of the night, local time, without cooking, washing or solar production. */
const NIGHT_HOURS = { from: 0, to: 5 } as const;
const MINUTES = 60;
const QUARTER_HOURS_OF_DAY = 96;

/** Local days and times of consecutive quarter-hours. */
export interface QuarterHourCalendar {
  /** Index of each day's first quarter-hour, and at the end the number of quarter-hours. */
  dayStarts: number[];
  /**
   * For each quarter-hour: its number in the local day from 0 to 95 (`slots`), its ISO weekday (`weekdays`), and the start of its hour in
   * Unix ms (`hoursMs`).
   */
  slots: Uint8Array;
  weekdays: Uint8Array;
  hoursMs: Float64Array;
}

export function buildQuarterHourCalendar(fromMs: number, count: number, zone: string): QuarterHourCalendar {
  const [slots, weekdays] = [new Uint8Array(count), new Uint8Array(count)];
  const hoursMs = new Float64Array(count);
  const dayStarts: number[] = [];
  if (count === 0) return { dayStarts: [0], slots, weekdays, hoursMs };
  const clockOf = createWallClock(fromMs, fromMs + count * QUARTER_HOUR_MS, zone);
  let date: string | undefined;
  for (let at = 0; at < count; at++) {
    const ms = fromMs + at * QUARTER_HOUR_MS;
    const clock = clockOf(ms);
    const { day, minute } = clock;
    if (day.date !== date) dayStarts.push(at);
    date = day.date;
    [slots[at], weekdays[at]] = [Math.floor(minute / 15), day.weekday];
    hoursMs[at] = getStartOfSubDayUnit(ms, clock, 'hour');
  }
  return { dayStarts: [...dayStarts, count], slots, weekdays, hoursMs };
}

export interface BaseAndNightLoad {
  /** Lowest steady load (base-load.ts). Null if too little is known. */
  base_watts: number | null;
  /** Mean load at night. Null if unknown. */
  night_watts: number | null;
}

export function computeBaseAndNightLoad(
  energies: Float64Array,
  calendar: QuarterHourCalendar,
  days: number,
): BaseAndNightLoad {
  const starts = calendar.dayStarts.slice(-days - 1);
  let [sum, count] = [0, 0];
  const [first, end] = [NIGHT_HOURS.from * 4, NIGHT_HOURS.to * 4];
  for (let at = starts[0] ?? 0; at < energies.length; at++) {
    const slot = calendar.slots[at] as number;
    const energy = energies[at] as number;
    if (slot < first || slot >= end || Number.isNaN(energy)) continue;
    sum += energy;
    count++;
  }
  const base = computeBaseLoad(energies, starts);
  return {
    base_watts: rounded(base),
    night_watts: rounded(count === 0 ? null : convertQuarterHourToWatts(sum / count)),
  };
}

/** Returns the mean load in W for each quarter-hour of the day, over the last `days` days. Null if unknown. */
export function computeMeanDayProfile(
  energies: Float64Array,
  calendar: QuarterHourCalendar,
  days: number,
): (number | null)[] {
  const [sums, counts] = [new Float64Array(QUARTER_HOURS_OF_DAY), new Float64Array(QUARTER_HOURS_OF_DAY)];
  for (let at = calendar.dayStarts.at(-days - 1) ?? 0; at < energies.length; at++) {
    const slot = calendar.slots[at] as number;
    if (Number.isNaN(energies[at])) continue;
    sums[slot] = (sums[slot] as number) + (energies[at] as number);
    counts[slot] = (counts[slot] as number) + 1;
  }
  return [...sums].map((sum, slot) =>
    rounded(counts[slot] === 0 ? null : convertQuarterHourToWatts(sum / (counts[slot] as number))),
  );
}

/** Mean usage of an hour of the week. Weekday 1 is Monday. */
export interface WeekHourMean {
  weekday: number;
  hour: number;
  /** Mean usage in kWh. */
  kwh_used: number;
}

/** Returns the mean usage by hour of the week, from completely known hours. */
export function computeMeanWeekProfile(
  { energies }: QuarterHourEnergies,
  { slots, weekdays, hoursMs }: QuarterHourCalendar,
): WeekHourMean[] {
  const cells = new Map<number, { sum: number; count: number }>();
  for (let at = 0; at < energies.length; ) {
    let [end, sum] = [at, 0];
    while (end < energies.length && hoursMs[end] === hoursMs[at]) sum += energies[end++] as number;
    // Skips incomplete hours at the ends of the range.
    if (!Number.isNaN(sum) && end - at === MINUTES / 15) {
      const key = (weekdays[at] as number) * 24 + Math.floor((slots[at] as number) / 4);
      const cell = cells.get(key) ?? { sum: 0, count: 0 };
      cells.set(key, { sum: cell.sum + sum, count: cell.count + 1 });
    }
    at = end;
  }
  return [...cells]
    .sort(([a], [b]) => a - b)
    .map(([key, { sum, count }]) => {
      const hour = key % 24;
      return { weekday: (key - hour) / 24, hour, kwh_used: Math.round(sum / count / 1_000) / 1_000 };
    });
}

/** Returns the quarter-hour with the highest power. Null if nothing is known. */
export function findPeakPower(
  { fromMs, energies }: QuarterHourEnergies,
  range: { from: Date; to: Date },
): { atMs: number; watts: number } | null {
  let peak: { atMs: number; watts: number } | null = null;
  const place = (time: Date) => Math.ceil((time.getTime() - fromMs) / QUARTER_HOUR_MS);
  for (let at = Math.max(0, place(range.from)); at < Math.min(place(range.to), energies.length); at++) {
    const watts = convertQuarterHourToWatts(energies[at] as number);
    if (watts > (peak?.watts ?? 0)) peak = { atMs: fromMs + at * QUARTER_HOUR_MS, watts: Math.round(watts) };
  }
  return peak;
}

const rounded = (watts: number | null): number | null => (watts === null ? null : Math.round(watts * 10) / 10);
