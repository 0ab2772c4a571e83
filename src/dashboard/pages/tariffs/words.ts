import type { Rates, Tariff } from '#clients/typescript/client.ts';

/** A price for people, with all decimals that it has. */
export const price = (text: string, currency: string): string =>
  new Intl.NumberFormat(undefined, { style: 'currency', currency, maximumFractionDigits: 9 }).format(Number(text));

/** A day, YYYY-MM-DD, for people. */
export const dayName = (date: string): string =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' }).format(Date.parse(date));

export const dayBefore = (date: string): string => new Date(Date.parse(date) - 86_400_000).toISOString().slice(0, 10);

const namesOf = (count: number, options: Intl.DateTimeFormatOptions, at: (index: number) => number): string[] => {
  const format = new Intl.DateTimeFormat(undefined, { ...options, timeZone: 'UTC' });
  return Array.from({ length: count }, (_, index) => format.format(at(index)));
};
/** Monday first: 1 January 2024 was one. */
export const WEEKDAYS = namesOf(7, { weekday: 'short' }, (day) => Date.UTC(2024, 0, 1 + day));
export const MONTHS = namesOf(12, { month: 'short' }, (month) => Date.UTC(2024, month, 1));

/** "Mon–Fri, Sun": numbers from 1 on as names, those that follow upon each other from the first to the last. */
function spans(numbers: readonly number[], names: readonly string[]): string {
  const sorted = numbers.toSorted((a, b) => a - b);
  const runs: [number, number][] = [];
  for (const one of sorted) {
    const run = runs.at(-1);
    if (run?.[1] === one - 1) run[1] = one;
    else runs.push([one, one]);
  }
  const name = (one: number) => names[one - 1] ?? '';
  return runs.map(([first, last]) => (first === last ? name(first) : `${name(first)}–${name(last)}`)).join(', ');
}

/** Prices of energy in lines: one, or one for each period. `seriesName`: of a series that the tariff names. */
export function linesOf(rates: Rates, currency: string, seriesName: (id: string) => string): string[] {
  if ('per_kwh' in rates) return [`${price(rates.per_kwh, currency)} a kWh`];
  if ('series_id' in rates) {
    const { series_id, multiply, add } = rates;
    return [`${seriesName(series_id)}${multiply ? ` × ${multiply}` : ''}${add ? ` + ${price(add, currency)}` : ''}`];
  }
  return rates.periods.map(({ per_kwh, days, from, to, months }) => {
    const when = [
      ...(months ? [spans(months, MONTHS)] : []),
      ...(days ? [spans(days, WEEKDAYS)] : []),
      ...(from || to ? [`${from ?? '00:00'}–${to ?? '24:00'}`] : []),
    ];
    const name = when.join(', ') || (rates.periods.length > 1 ? 'Otherwise' : 'Always');
    return `${name}: ${price(per_kwh, currency)} a kWh`;
  });
}

/** What the peak of a month costs. */
export function capacityWords(
  { per_kw_month, months_averaged = 1, minimum_kw }: NonNullable<Tariff['capacity']>,
  currency: string,
) {
  const mean = months_averaged > 1 ? `, mean of the last ${months_averaged} months` : '';
  return `${price(per_kw_month, currency)} a kW and month${mean}${minimum_kw ? `, at least ${minimum_kw} kW` : ''}`;
}
