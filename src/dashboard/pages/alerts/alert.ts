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
