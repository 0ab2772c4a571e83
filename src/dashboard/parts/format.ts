import type { Cost } from '#src/api/dashboard/shapes.ts';
import { dateFormat, locale, numberFormat } from '../words/locale.ts';
import { words } from '../words/words.ts';

const hundredths = () => numberFormat({ minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Energy for people, with its unit: two decimals, or so many. */
export const kwh = (value: number, digits = 2): string => `${decimals(value, digits)} kWh`;

/** Power for people: in kW where it has five digits. */
export const watts = (value: number): string =>
  value < 9_999.5
    ? `${numberFormat({ maximumFractionDigits: value < 10 ? 1 : 0 }).format(value)} W`
    : `${decimals(value / 1_000, 1)} kW`;

/** Amounts of a currency (ISO 4217) for people. */
export function moneyIn(currency: string): (value: number) => string {
  const format = numberFormat({ style: 'currency', currency, signDisplay: 'negative' });
  return (value) => format.format(value);
}

/** A volume for people. */
export const cubicMetres = (value: number): string => `${hundredths().format(value)} m³`;

/** A share from 0 to 1. */
export const percent = (share: number): string =>
  numberFormat({ style: 'percent', maximumFractionDigits: 0 }).format(share);

/** A time in a zone (the browser's where none is given), which it names. */
export function time(iso: string, zone?: string): string {
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

/** How long ago, roughly: "3 hours ago"; or in how long. */
export function ago(iso: string, nowMs = Date.now()): string {
  const seconds = Math.round((Date.parse(iso) - nowMs) / 1_000);
  const format = new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' });
  for (const [unit, length] of STEPS)
    if (Math.abs(seconds) >= length)
      return format.format(seconds > 0 ? Math.round(seconds / length) : Math.trunc(seconds / length), unit);
  return words().common.justNow;
}

/** Whole days since then. */
export const daysSince = (iso: string, nowMs = Date.now()): number =>
  Math.floor((nowMs - Date.parse(iso)) / 86_400_000);

/** A day, YYYY-MM-DD, for people. */
export const dayName = (date: string): string =>
  dateFormat({ dateStyle: 'medium', timeZone: 'UTC' }).format(Date.parse(date));

/** A whole hour of the day: "14:00". */
export const hourName = (hour: number): string =>
  dateFormat({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: 'UTC' }).format(
    Date.UTC(2024, 0, 1, hour),
  );

const namesOf = (count: number, options: Intl.DateTimeFormatOptions, at: (index: number) => number): string[] => {
  const format = dateFormat({ ...options, timeZone: 'UTC' });
  return Array.from({ length: count }, (_, index) => format.format(at(index)));
};

/** Monday first: 1 January 2024 was one. */
export const weekdayNames = (): string[] => namesOf(7, { weekday: 'short' }, (day) => Date.UTC(2024, 0, 1 + day));
export const monthNames = (): string[] => namesOf(12, { month: 'short' }, (month) => Date.UTC(2024, month, 1));

/** A number with so many decimals, such as one that stands in a hint. */
export const decimals = (value: number, digits: number): string =>
  numberFormat({ minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);

/** Of hours and days of 24 hours, as UTC has them. (The browser gets nothing of src/core.) */
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** An amount as answers tell it, for people. */
export const money = (amount: string, currency: string): string => moneyIn(currency)(Number(amount));

/** What must be said beside a total: how much of it is estimated, and what is not in it. */
export function caveatsOf({ currency, estimated, missing_prices_kwh }: NonNullable<Cost>): string[] {
  const { common } = words();
  return [
    ...(Number(estimated) === 0 ? [] : [common.estimatedOfIt({ amount: money(estimated, currency) })]),
    ...(missing_prices_kwh === 0 ? [] : [common.withoutPrice({ energy: kwh(missing_prices_kwh) })]),
  ];
}

/** A total with what must be said beside it, in a line. */
export const moneyOf = (cost: NonNullable<Cost>): string =>
  [money(cost.total, cost.currency), ...caveatsOf(cost)].join(', ');

/** An amount that is no more than likely, without its cents where it has more than a few. */
export const moneyAbout = (amount: number, currency: string): string =>
  numberFormat({
    style: 'currency',
    currency,
    signDisplay: 'negative',
    ...(Math.abs(amount) >= 10 ? { maximumFractionDigits: 0 } : {}),
  }).format(amount);
