import type { Alert, AlertPreview } from '#clients/typescript/client.ts';
import { numberFormat } from '../../words/locale.ts';
import { words } from '../../words/words.ts';

export type AlertType = Alert['type'];
export type Delivery = Alert['delivery'];

/** A period on which an alert would have fired; without an end: a silence that goes on. */
export type WouldHaveFired = AlertPreview['data'][number];

export type CostType = Extract<AlertType, `${string}_cost`>;
export const isCostType = (type: AlertType): type is CostType => type === 'daily_cost' || type === 'monthly_cost';

/** To the billionth of a currency, the finest that is taken; of energy to the mWh. */
const amount = (value: number) => numberFormat({ maximumFractionDigits: 9 }).format(value);

/** "More than 2.5 kWh in an hour", "Costs more than 2.5 in a day", "Silent for 6 hours". */
export function ruleOf(type: AlertType, threshold: number): string {
  const { alerts: w } = words();
  if (type === 'no_data') return w.silentFor({ hours: threshold });
  return isCostType(type)
    ? w.costsMore[type]({ amount: amount(threshold) })
    : w.usesMore[type]({ amount: amount(threshold) });
}

type Rule = Pick<Alert, 'type' | 'threshold_kwh' | 'threshold_hours' | 'threshold'>;

export const thresholdOf = ({ threshold_kwh, threshold_hours, threshold }: Rule): number =>
  threshold_kwh ?? threshold_hours ?? Number(threshold ?? 0);

export const nameOf = (alert: Rule): string => ruleOf(alert.type, thresholdOf(alert));

/** The threshold as the service takes it. */
export function thresholdFields(type: AlertType, threshold: number): object {
  if (type === 'no_data') return { threshold_hours: threshold };
  return isCostType(type) ? { threshold: String(threshold) } : { threshold_kwh: threshold };
}

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
