/** Usage of a home by day, in the home's time zone. */
export interface DailyUsage {
  /** First day, as the number of days since 1970-01-01 (calendar.ts). */
  firstDay: number;
  /** Usage by day in kWh, in order. Null if too little of the day's usage is known. */
  kwh: readonly (number | null)[];
}

/** Returns the usage of a day in kWh; null if unknown. */
export const findUsageOfDay = ({ firstDay, kwh }: DailyUsage, day: number): number | null =>
  kwh[day - firstDay] ?? null;

/** Returns the days of `[from, to)` whose usage is known, in order. */
export function listDaysWithKnownUsage(used: DailyUsage, from: number, to: number): { day: number; kwh: number }[] {
  const known: { day: number; kwh: number }[] = [];
  for (let day = Math.max(from, used.firstDay); day < to; day++) {
    const kwh = findUsageOfDay(used, day);
    if (kwh !== null) known.push({ day, kwh });
  }
  return known;
}
