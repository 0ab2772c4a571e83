import type { Rates, Tariff } from '#clients/typescript/client.ts';
import { monthNames, weekdayNames } from '../../parts/format.ts';
import { numberFormat } from '../../words/locale.ts';
import { words } from '../../words/words.ts';

/** A number with all decimals that it has. */
const exactly = (value: string | number): string => numberFormat({ maximumFractionDigits: 9 }).format(Number(value));

/** A price for people, with all decimals that it has. */
export const price = (text: string, currency: string): string =>
  numberFormat({ style: 'currency', currency, maximumFractionDigits: 9 }).format(Number(text));

export const dayBefore = (date: string): string => new Date(Date.parse(date) - 86_400_000).toISOString().slice(0, 10);

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
  const { tariffs: w } = words();
  if ('per_kwh' in rates) return [w.aKwh({ price: price(rates.per_kwh, currency) })];
  if ('series_id' in rates) {
    const { series_id, multiply, add } = rates;
    return [
      `${seriesName(series_id)}${multiply ? ` × ${exactly(multiply)}` : ''}${add ? ` + ${price(add, currency)}` : ''}`,
    ];
  }
  return rates.periods.map(({ per_kwh, days, from, to, months }) => {
    const when = [
      ...(months ? [spans(months, monthNames())] : []),
      ...(days ? [spans(days, weekdayNames())] : []),
      ...(from || to ? [`${from ?? '00:00'}–${to ?? '24:00'}`] : []),
    ];
    const name = when.join(', ') || (rates.periods.length > 1 ? w.otherwise : w.always);
    return `${name}: ${w.aKwh({ price: price(per_kwh, currency) })}`;
  });
}

/** What the peak of a month costs. */
export function capacityWords(
  { per_kw_month, months_averaged = 1, minimum_kw }: NonNullable<Tariff['capacity']>,
  currency: string,
) {
  const { tariffs: w } = words();
  const mean = months_averaged > 1 ? w.meanOf({ months: months_averaged }) : '';
  const least = minimum_kw ? w.atLeast({ kw: exactly(minimum_kw) }) : '';
  return `${w.capacityPrice({ price: price(per_kw_month, currency) })}${mean}${least}`;
}
