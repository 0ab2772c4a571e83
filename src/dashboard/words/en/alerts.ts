import { count, plural } from '../locale.ts';

const within = {
  peak_usage: 'an hour',
  daily_usage: 'a day',
  monthly_usage: 'a month',
  daily_cost: 'a day',
  monthly_cost: 'a month',
};

export const alerts = {
  aboutOwn: (zone: string) =>
    `An alert notifies you when your home uses or pays more than it should, or when a device falls silent. Periods are hours, days and months of ${zone}.`,
  about: (email: string, zone: string) =>
    `An alert notifies ${email} when the home uses or pays more than it should, or when a device falls silent. Periods are hours, days and months of ${zone}.`,
  yours: 'Your alerts',
  of: (email: string) => `Alerts of ${email}`,
  create: 'Create an alert',
  createShort: 'Create alert',
  list: 'List of alerts',
  empty:
    'There is no alert yet. Press **Create an alert**: you see on which of the last 90 days it would have fired, before you make it.',
  paused: (rule: string) => `Paused: ${rule}. It does not fire until it is resumed.`,
  resumed: (rule: string) => `Resumed: ${rule}.`,
  deleted: (rule: string) => `Deleted: ${rule}.`,
  created: (rule: string) => `Created: ${rule}. It watches from now on.`,
  saved: (rule: string) => `Saved: ${rule}.`,
  alert: 'Alert',
  toldBy: 'Notified by',
  history: 'History',
  historyOf: (rule: string) => `History: ${rule}`,
  editOf: (rule: string) => `Edit: ${rule}`,
  pause: 'Pause',
  resume: 'Resume',
  deleteQuestion: 'It stops firing, and its history is deleted. To silence it for a while, pause it.',
  /** What can be watched, in a person's words. */
  types: {
    peak_usage: { name: 'An hour', meaning: 'uses more than …', label: 'More than, kWh in an hour' },
    daily_usage: { name: 'A day', meaning: 'uses more than …', label: 'More than, kWh in a day' },
    monthly_usage: { name: 'A month', meaning: 'uses more than …', label: 'More than, kWh in a month' },
    daily_cost: { name: 'Daily cost', meaning: 'of more than …', label: 'More than, in money a day' },
    monthly_cost: { name: 'Monthly cost', meaning: 'of more than …', label: 'More than, in money a month' },
    no_data: { name: 'Silence', meaning: 'a device sends nothing for …', label: 'Silent for, hours' },
  },
  deliveries: { email: 'E-mail', sms: 'SMS', webhook: 'Webhook' },
  /** "More than 2.5 kWh in an hour", "Costs more than 2.5 in a day", "Silent for 6 hours". */
  silentFor: (hours: number) => `Silent for ${plural(hours, { one: '# hour', other: '# hours' })}`,
  costsMore: (amount: string, type: 'daily_cost' | 'monthly_cost') => `Costs more than ${amount} in ${within[type]}`,
  usesMore: (amount: string, type: 'peak_usage' | 'daily_usage' | 'monthly_usage') =>
    `More than ${amount} kWh in ${within[type]}`,
  watch: 'Watch',
  hints: {
    looking: 'Looking at the last 90 days …',
    currency: 'In the currency of the tariff.',
    in: (currency: string) => `In ${currency}.`,
    suggestedIn: (currency: string, amount: string) =>
      `In ${currency}. Suggested: ${amount}. In the last 90 days few lay above it.`,
    suggestedHours: (hours: string) => `Suggested: ${hours}. In the last 90 days few silences were longer.`,
    suggested: (amount: string) => `Suggested: ${amount}. In the last 90 days few lay above it.`,
    usual: (amount: string) => `Suggested: ${amount}, which is much for a household.`,
  },
  tell: {
    legend: 'Notify by',
    to: (address: string) => `to ${address}`,
    toPhone: 'to a phone',
    toProgram: 'to a program',
    phone: 'Phone number',
    phoneHint: 'With its country, such as +4915112345678. It is kept with the account.',
    phoneForm: '+, the country’s code and the number, digits only',
    youHaveNone: '**Nobody would be notified yet: you have no active subscription to** `alert.triggered`**.**',
    hasNone: (email: string) =>
      `**Nobody would be notified yet: ${email} has no active subscription to** \`alert.triggered\`**.**`,
    needed: 'It needs an active subscription to `alert.triggered`.',
    makeOne: '[Make one on the Webhooks page], then come back.',
    theirs: (email: string) =>
      `It must be that account’s own: ${email} makes it, signed in here, on the Webhooks page.`,
  },
  firings: {
    list: 'Firings',
    fired: 'Fired',
    silentSince: 'Silent since',
    period: 'Period',
    costByThen: 'Cost by then',
    usedByThen: 'Used by then',
    oncePerSilence: 'It fires once for each silence of a device.',
    oncePerPeriod: 'It fires once in each period, the moment the total lies above the threshold of then.',
    none: 'It has not fired yet.',
    span: (from: string, to: string) => `${from} to ${to}`,
  },
  preview: {
    label: 'Preview',
    typeOne: 'When would it have fired? Type a threshold to see.',
    noUsage: (days: number) => `No usage is known for the last ${days} days. The alert watches new readings.`,
    noCost: (days: number) => `No cost is known for the last ${days} days. The alert watches new readings.`,
    titles: {
      peak_usage: 'Highest hour of each day',
      daily_usage: 'Usage by day',
      monthly_usage: 'Usage by month',
      daily_cost: 'Cost by day',
      monthly_cost: 'Cost by month',
    },
    mark: 'would have fired',
    never: (rule: string, days: number) => `${rule}: **would not have fired** in the last ${days} days.`,
    fired: (rule: string, times: number, days: number) =>
      `${rule}: **would have fired ${times === 1 ? 'once' : `${count(times)} times`}** in the last ${days} days.`,
    firedAtLeast: (rule: string, times: number, days: number) =>
      `${rule}: **would at least have fired ${count(times)} times** in the last ${days} days.`,
    firedOn: (rule: string, times: number, days: number, on: number) =>
      `${rule}: **would have fired ${count(times)} times** in the last ${days} days, on ${plural(on, { one: '# day', other: '# different days' })}.`,
    firedAtLeastOn: (rule: string, times: number, days: number, on: number) =>
      `${rule}: **would at least have fired ${count(times)} times** in the last ${days} days, on ${plural(on, { one: '# day', other: '# different days' })}.`,
  },
  silences: {
    list: 'Silences',
    for: 'For',
    hours: (hours: number) => plural(hours, { one: '# hour', other: '# hours' }),
    days: (days: number) => plural(days, { one: '# day', other: '# days' }),
    still: (length: string) => `${length}, still`,
  },
};
