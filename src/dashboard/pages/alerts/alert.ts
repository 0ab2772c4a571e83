import type { Alert, AlertPreview } from '#clients/typescript/client.ts';

export type AlertType = Alert['type'];
export type Delivery = Alert['delivery'];

/** A period on which an alert would have fired; without an end: a silence that goes on. */
export type WouldHaveFired = AlertPreview['data'][number];

/** What can be watched, in a person's words; a test holds these and the next to what the service knows. */
export const TYPES: Record<AlertType, { name: string; meaning: string; label: string }> = {
  peak_usage: { name: 'An hour', meaning: 'uses more than …', label: 'More than, kWh in an hour' },
  daily_usage: { name: 'A day', meaning: 'uses more than …', label: 'More than, kWh in a day' },
  monthly_usage: { name: 'A month', meaning: 'uses more than …', label: 'More than, kWh in a month' },
  daily_cost: { name: 'Daily cost', meaning: 'of more than …', label: 'More than, in money a day' },
  monthly_cost: { name: 'Monthly cost', meaning: 'of more than …', label: 'More than, in money a month' },
  no_data: { name: 'Silence', meaning: 'a device sends nothing for …', label: 'Silent for, hours' },
};

export const DELIVERIES: Record<Delivery, string> = { email: 'E-mail', sms: 'SMS', webhook: 'Webhook' };

export type CostType = Extract<AlertType, `${string}_cost`>;
export const isCostType = (type: AlertType): type is CostType => type === 'daily_cost' || type === 'monthly_cost';

/** To the billionth of a currency, the finest that is taken; of energy to the mWh. */
const amount = new Intl.NumberFormat(undefined, { maximumFractionDigits: 9 });

const WITHIN = {
  peak_usage: 'an hour',
  daily_usage: 'a day',
  monthly_usage: 'a month',
  daily_cost: 'a day',
  monthly_cost: 'a month',
} as const;

/** "More than 2.5 kWh in an hour", "Costs more than 2.5 in a day", "Silent for 6 hours". */
export function ruleOf(type: AlertType, threshold: number): string {
  const value = amount.format(threshold);
  if (type === 'no_data') return `Silent for ${value} ${threshold === 1 ? 'hour' : 'hours'}`;
  return isCostType(type) ? `Costs more than ${value} in ${WITHIN[type]}` : `More than ${value} kWh in ${WITHIN[type]}`;
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
