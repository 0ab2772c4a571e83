import type { AlertType, CostType } from './alert.ts';

/** Thresholds suggested where no usage is known: much for one household. */
type UsageType = Exclude<AlertType, CostType | 'no_data'>;
const MUCH: Record<UsageType, number> = { peak_usage: 3, daily_usage: 20, monthly_usage: 400 };
/** People stop reading an alert that fires more often than this in 90 days. */
const FEW = 3;
const SILENCES_HOURS = [3, 6, 12, 24, 48, 72, 168];

/**
 * A threshold that what was used lay above a few times (of a few months once), rounded up to two digits: it would have told
 * of what stands out. Pure.
 */
export function suggestedKwh(type: UsageType, used: number[]): number {
  return suggestedAmount(used, 0.001) ?? MUCH[type];
}

/** The same of amounts of anything; null where all are below `least`. Pure. */
export function suggestedAmount(amounts: number[], least = 0.01): number | null {
  const sorted = amounts.toSorted((a, b) => b - a);
  const value = sorted[Math.min(FEW, Math.floor(sorted.length / 3))] ?? 0;
  if (value < least) return null;
  const step = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Number((Math.ceil(value / step - 1e-9) * step).toPrecision(2));
}

/** The shortest usual length that few silences exceeded. Pure. */
export const suggestedHours = (lengthsHours: number[]): number =>
  SILENCES_HOURS.find((hours) => lengthsHours.filter((one) => one > hours).length <= FEW) ?? 720;
