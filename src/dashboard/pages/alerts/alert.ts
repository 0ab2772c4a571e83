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
  no_data: { name: 'Silence', meaning: 'a device sends nothing for …', label: 'Silent for, hours' },
};

export const DELIVERIES: Record<Delivery, string> = { email: 'E-mail', sms: 'SMS', webhook: 'Webhook' };

/** To the mWh, the unit of everything stored. */
const amount = new Intl.NumberFormat(undefined, { maximumFractionDigits: 6 });

const WITHIN = { peak_usage: 'an hour', daily_usage: 'a day', monthly_usage: 'a month' } as const;

/** "More than 2.5 kWh in an hour", "Silent for 6 hours". */
export const ruleOf = (type: AlertType, threshold: number): string =>
  type === 'no_data'
    ? `Silent for ${amount.format(threshold)} ${threshold === 1 ? 'hour' : 'hours'}`
    : `More than ${amount.format(threshold)} kWh in ${WITHIN[type]}`;

type Rule = Pick<Alert, 'type' | 'threshold_kwh' | 'threshold_hours'>;

export const thresholdOf = ({ threshold_kwh, threshold_hours }: Rule): number => threshold_kwh ?? threshold_hours ?? 0;

export const nameOf = (alert: Rule): string => ruleOf(alert.type, thresholdOf(alert));

/** The threshold as the service takes it. */
export const thresholdFields = (type: AlertType, threshold: number): object =>
  type === 'no_data' ? { threshold_hours: threshold } : { threshold_kwh: threshold };
