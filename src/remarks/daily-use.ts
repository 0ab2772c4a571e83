/** What a home used, day by day of its zone. */
export interface DailyUse {
  /** Number of the first day (calendar.ts). */
  firstDay: number;
  /** kWh, day after day; null: nothing is known of the day, or not enough. */
  kwh: readonly (number | null)[];
}

/** What was used in a day; null: not known. */
export const usedOn = ({ firstDay, kwh }: DailyUse, day: number): number | null => kwh[day - firstDay] ?? null;

/** The days of `[from, to)` that are known. */
export function knownDays(used: DailyUse, from: number, to: number): { day: number; kwh: number }[] {
  const known: { day: number; kwh: number }[] = [];
  for (let day = Math.max(from, used.firstDay); day < to; day++) {
    const kwh = usedOn(used, day);
    if (kwh !== null) known.push({ day, kwh });
  }
  return known;
}
