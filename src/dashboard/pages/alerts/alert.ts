import type { Alert, AlertPreview } from '#clients/typescript/client.ts';
import { numberFormat } from '../../words/locale.ts';
import { words } from '../../words/words.ts';

export type AlertType = Alert['type'];
export type AlertDeliveryChannel = Alert['delivery'];

/** A period for which an alert would have fired. Only an ongoing silence has no end. */
export type HypotheticalAlertFiring = AlertPreview['data'][number];

type CostAlertType = Extract<AlertType, `${string}_cost`>;
export const isCostAlertType = (type: AlertType): type is CostAlertType =>
  type === 'daily_cost' || type === 'monthly_cost';

/** Formats a threshold with up to nine decimals, as many as the service accepts. */
const amount = (value: number) => numberFormat({ maximumFractionDigits: 9 }).format(value);

/** Returns an alert's rule in words: "More than 2.5 kWh in an hour", "Costs more than 2.5 in a day", "Silent for 6 hours". */
export function describeRule(type: AlertType, threshold: number): string {
  const { alerts: w } = words();
  if (type === 'no_data') return w.silentFor({ hours: threshold });
  return isCostAlertType(type)
    ? w.costsMore[type]({ amount: amount(threshold) })
    : w.usesMore[type]({ amount: amount(threshold) });
}

type Rule = Pick<Alert, 'type' | 'threshold_kwh' | 'threshold_hours' | 'threshold'>;

export const getThreshold = ({ threshold_kwh, threshold_hours, threshold }: Rule): number =>
  threshold_kwh ?? threshold_hours ?? Number(threshold ?? 0);

export const getAlertRuleName = (alert: Rule): string => describeRule(alert.type, getThreshold(alert));

export function getThresholdFields(type: AlertType, threshold: number): object {
  if (type === 'no_data') return { threshold_hours: threshold };
  return isCostAlertType(type) ? { threshold: String(threshold) } : { threshold_kwh: threshold };
}

type UsageType = Exclude<AlertType, CostAlertType | 'no_data'>;

/** Default thresholds in kWh for a home whose usage is unknown. */
const MUCH: Record<UsageType, number> = { peak_usage: 3, daily_usage: 20, monthly_usage: 400 };

/** Maximum number of firings in 90 days that a suggested threshold would have caused. */
const FEW = 3;

const SILENCES_HOURS = [3, 6, 12, 24, 48, 72, 168];

/**
 * Returns a suggested threshold in kWh, rounded up to two digits. Past usage exceeded it at most a few times (`FEW`), monthly usage at most
 * once.
 */
export function suggestThresholdKwh(type: UsageType, used: number[]): number {
  return suggestThresholdAmount(used, 0.001) ?? MUCH[type];
}

/** Returns a suggested threshold for amounts without a default, such as costs. Null if it would be below `least`. */
export function suggestThresholdAmount(amounts: number[], least = 0.01): number | null {
  const sorted = amounts.toSorted((a, b) => b - a);
  const value = sorted[Math.min(FEW, Math.floor(sorted.length / 3))] ?? 0;
  if (value < least) return null;
  const step = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Number((Math.ceil(value / step - 1e-9) * step).toPrecision(2));
}

/** Returns a suggested threshold in hours for the length of a silence. Only a few of the past silences were longer. */
export const suggestThresholdHours = (lengthsHours: number[]): number =>
  SILENCES_HOURS.find((hours) => lengthsHours.filter((one) => one > hours).length <= FEW) ?? 720;
