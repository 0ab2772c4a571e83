import type { Cost } from '#src/api/dashboard/shapes.ts';
import { dateFormat, locale, numberFormat } from '../words/locale.ts';
import { words } from '../words/words.ts';

const hundredths = () => numberFormat({ minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Formats energy in kWh, with two decimals unless `digits` is given. */
export const formatKwh = (value: number, digits = 2): string => `${formatDecimals(value, digits)} kWh`;

/** Formats power in W up to four digits, and above in kW. */
export const formatWatts = (value: number): string =>
  value < 9_999.5
    ? `${numberFormat({ maximumFractionDigits: value < 10 ? 1 : 0 }).format(value)} W`
    : `${formatDecimals(value / 1_000, 1)} kW`;

/** Returns a function that formats amounts of a currency (ISO 4217). */
export function createMoneyFormatter(currency: string): (value: number) => string {
  const format = numberFormat({ style: 'currency', currency, signDisplay: 'negative' });
  return (value) => format.format(value);
}

export const formatCubicMetres = (value: number): string => `${hundredths().format(value)} m³`;

export const formatPercent = (share: number): string =>
  numberFormat({ style: 'percent', maximumFractionDigits: 0 }).format(share);

/** Formats a time in a time zone, by default that of the browser. */
export function formatTime(iso: string, zone?: string): string {
  return dateFormat({
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
    ...(zone ? { timeZone: zone } : {}),
  }).format(new Date(iso));
}

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** Formats roughly how far a time is from now, as in "3 hours ago". */
export function formatTimeAgo(iso: string, nowMs = Date.now()): string {
  const seconds = Math.round((Date.parse(iso) - nowMs) / 1_000);
  const format = new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' });
  for (const [unit, length] of STEPS)
    if (Math.abs(seconds) >= length)
      return format.format(seconds > 0 ? Math.round(seconds / length) : Math.trunc(seconds / length), unit);
  return words().common.justNow;
}

/** Returns the number of complete days since a time. */
export const countDaysSince = (iso: string, nowMs = Date.now()): number =>
  Math.floor((nowMs - Date.parse(iso)) / 86_400_000);

/** Formats a day given as YYYY-MM-DD. */
export const formatDay = (date: string): string =>
  dateFormat({ dateStyle: 'medium', timeZone: 'UTC' }).format(Date.parse(date));

export const formatHourOfDay = (hour: number): string =>
  dateFormat({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: 'UTC' }).format(
    Date.UTC(2024, 0, 1, hour),
  );

const namesOf = (count: number, options: Intl.DateTimeFormatOptions, at: (index: number) => number): string[] => {
  const format = dateFormat({ ...options, timeZone: 'UTC' });
  return Array.from({ length: count }, (_, index) => format.format(at(index)));
};

/** Returns the names of the weekdays, starting with Monday (1 January 2024). */
export const listWeekdayNames = (): string[] => namesOf(7, { weekday: 'short' }, (day) => Date.UTC(2024, 0, 1 + day));
export const listMonthNames = (): string[] => namesOf(12, { month: 'short' }, (month) => Date.UTC(2024, month, 1));

export const formatDecimals = (value: number, digits: number): string =>
  numberFormat({ minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);

/** Declared here, because code for the browser cannot import src/core. */
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Formats an amount of money, which the API returns as text. */
export const formatMoneyAmount = (amount: string, currency: string): string =>
  createMoneyFormatter(currency)(Number(amount));

/** Returns notes about a total cost: how much of it is estimated, and how much energy has no price. */
export function formatCostNotes({ currency, estimated, missing_prices_kwh }: NonNullable<Cost>): string[] {
  const { common } = words();
  return [
    ...(Number(estimated) === 0 ? [] : [common.estimatedOfIt({ amount: formatMoneyAmount(estimated, currency) })]),
    ...(missing_prices_kwh === 0 ? [] : [common.withoutPrice({ energy: formatKwh(missing_prices_kwh) })]),
  ];
}

/** Formats a total cost with its notes in one line. */
export const formatCostWithNotes = (cost: NonNullable<Cost>): string =>
  [formatMoneyAmount(cost.total, cost.currency), ...formatCostNotes(cost)].join(', ');

/** Formats an approximate amount of money. Only a small amount has decimals. */
export const formatApproximateMoney = (amount: number, currency: string): string =>
  numberFormat({
    style: 'currency',
    currency,
    signDisplay: 'negative',
    ...(Math.abs(amount) >= 10 ? { maximumFractionDigits: 0 } : {}),
  }).format(amount);

/** Returns the date of the day before a date; both are YYYY-MM-DD. */
export const getDayBefore = (date: string): string =>
  new Date(Date.parse(date) - 86_400_000).toISOString().slice(0, 10);
