import type { Rates, Tariff } from '#clients/typescript/client.ts';
import { formatNumberForInput, parseLocalDecimal } from '../../parts/decimal-input.ts';
import type { TariffTemplate } from './templates.ts';

/** A tariff as text in input fields. An empty text means that the tariff has no such value. */
export interface TariffFormValues {
  name: string;
  valid_from: string;
  currency: string;
  standing_per_day: string;
  capacity: { per_kw_month: string; months_averaged: string; minimum_kw: string } | null;
  import: RatesFormValues;
  export: RatesFormValues;
}

/** Input for the rates of a tariff, with the fields of every kind of rates, so that the user can change the kind without losing input. */
export interface RatesFormValues {
  kind: 'none' | 'flat' | 'periods' | 'series';
  per_kwh: string;
  /** Periods of time with a price each. The last one has no times: its price applies whenever no other does. */
  periods: RatePeriodFormValues[];
  series_id: string;
  multiply: string;
  add: string;
}

export interface RatePeriodFormValues {
  per_kwh: string;
  /** Weekdays of the period; an empty list means every day. */
  days: number[];
  from: string;
  to: string;
  months: number[];
}

export const EMPTY_CAPACITY_CHARGE = { per_kw_month: '', months_averaged: '', minimum_kw: '' };
export const EMPTY_RATE_PERIOD: RatePeriodFormValues = { per_kwh: '', days: [], from: '', to: '', months: [] };
/** Initial input for rates: one period for the day, and one for the night. */
const NO_RATES: RatesFormValues = {
  kind: 'none',
  per_kwh: '',
  periods: [{ ...EMPTY_RATE_PERIOD, from: '06:00', to: '22:00' }, EMPTY_RATE_PERIOD],
  series_id: '',
  multiply: '',
  add: '',
};

/** Returns the form for a template or an existing tariff. Without either, returns a form with one empty price. */
export function getTariffFormValues(
  terms: TariffTemplate['terms'] | Tariff,
  about: Pick<TariffFormValues, 'name' | 'valid_from' | 'currency'>,
): TariffFormValues {
  const { standing_per_day = '', capacity, import: imports, export: exports } = terms;
  return {
    ...about,
    standing_per_day: formatNumberForInput(standing_per_day),
    capacity: capacity
      ? {
          per_kw_month: formatNumberForInput(capacity.per_kw_month),
          months_averaged: String(capacity.months_averaged ?? ''),
          minimum_kw: formatNumberForInput(capacity.minimum_kw),
        }
      : null,
    import: ratesForm(imports),
    export: exports ? ratesForm(exports) : NO_RATES,
  };
}

function ratesForm(rates: Rates): RatesFormValues {
  if ('per_kwh' in rates) return { ...NO_RATES, kind: 'flat', per_kwh: formatNumberForInput(rates.per_kwh) };
  if ('series_id' in rates) {
    const { series_id, multiply, add } = rates;
    return {
      ...NO_RATES,
      kind: 'series',
      series_id,
      multiply: formatNumberForInput(multiply),
      add: formatNumberForInput(add),
    };
  }
  // A time input cannot show 24:00, so the form contains 00:00.
  const periods = rates.periods.map((one) => ({
    ...EMPTY_RATE_PERIOD,
    ...one,
    per_kwh: formatNumberForInput(one.per_kwh),
    to: (one.to ?? '').replace('24:00', '00:00'),
  }));
  return { ...NO_RATES, kind: 'periods', periods };
}

/**
 * Converts the form to members of a request. `absent`: value of a member whose field is empty. In a change, null deletes the stored value;
 * in a new tariff, undefined omits the member.
 */
export function createTariffRequest(form: TariffFormValues, absent: null | undefined) {
  const { name, valid_from, currency, standing_per_day, capacity } = form;
  return {
    name: name.trim(),
    valid_from,
    currency: currency.trim().toUpperCase(),
    standing_per_day: decimal(standing_per_day) || absent,
    capacity: capacity
      ? {
          per_kw_month: decimal(capacity.per_kw_month),
          months_averaged: capacity.months_averaged === '' ? undefined : Number(capacity.months_averaged),
          minimum_kw: decimal(capacity.minimum_kw) || undefined,
        }
      : absent,
    import: ratesOf(form.import),
    export: areRatesEmpty(form.export) ? absent : ratesOf(form.export),
  };
}

/** Returns whether all fields of the rates are empty. */
export function areRatesEmpty({ kind, per_kwh, periods, series_id }: RatesFormValues): boolean {
  if (kind === 'flat') return per_kwh.trim() === '';
  if (kind === 'periods') return periods.every((one) => one.per_kwh.trim() === '');
  return kind === 'none' || series_id === '';
}

function ratesOf({ kind, per_kwh, periods, series_id, multiply, add }: RatesFormValues) {
  if (kind === 'series') return { series_id, multiply: decimal(multiply) || undefined, add: decimal(add) || undefined };
  if (kind === 'periods') return { periods: periods.map(periodOf) };
  return { per_kwh: decimal(per_kwh) };
}

const periodOf = ({ per_kwh, days, from, to, months }: RatePeriodFormValues) => ({
  per_kwh: decimal(per_kwh),
  days: someOf(days, 7),
  from: from || undefined,
  to: to === '00:00' ? '24:00' : to || undefined,
  months: someOf(months, 12),
});

const someOf = (numbers: number[], all: number) =>
  numbers.length === 0 || numbers.length === all ? undefined : numbers.toSorted((a, b) => a - b);

/** Converts a typed number to the format of the service. Returns invalid or ambiguous text as a text that the service rejects. */
function decimal(text: string): string {
  const typed = parseLocalDecimal(text);
  if (typed.kind === 'number') return typed.value;
  return typed.kind === 'unclear' ? 'unclear' : text.trim();
}
