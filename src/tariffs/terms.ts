import { type Billionths, castToBillionths, formatDecimal, parseDecimal } from '#src/core/decimal.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import type { CapacityCharge, RatePeriod, Tariff, TariffRates } from './tariff.ts';

/** Prices of a tariff in the API's format, as decimals in text. They are stored in the same format. */
export interface TariffPriceTerms {
  standing_per_day?: string | undefined;
  capacity?: CapacityTerms | undefined;
  import: RateTerms;
  export?: RateTerms | undefined;
}

interface CapacityTerms {
  per_kw_month: string;
  months_averaged?: number | undefined;
  minimum_kw?: string | undefined;
}

type RateTerms =
  | { per_kwh: string }
  | { periods: RatePeriodTerms[] }
  | { series_id: string; add?: string | undefined; multiply?: string | undefined };

interface RatePeriodTerms {
  per_kwh: string;
  days?: number[] | undefined;
  from?: string | undefined;
  to?: string | undefined;
  months?: number[] | undefined;
}

/** A tariff in its stored form, with its prices as text. */
export interface StoredTariff {
  tariff_id: string;
  user_id: string;
  name: string;
  valid_from: string;
  currency: string;
  terms: TariffPriceTerms;
}

/** Upper bound of prices and factors, so that they fit into 64 bits as billionths. */
export const MAX_PRICE = 1_000_000_000;
const MAX_BILLIONTHS = BigInt(MAX_PRICE) * 1_000_000_000n;

/** Parses a price exactly, to billionths. Null if it is not below `MAX_PRICE`, or has more than 9 decimals. */
export function parsePrice(text: string): Billionths | null {
  const price = parseDecimal(text);
  return price === null || price >= MAX_BILLIONTHS || price <= -MAX_BILLIONTHS ? null : price;
}

/**
 * Returns the form in which a price is stored: a plain decimal (`0.30`) unchanged, another number (`1e-2`, `007`) in its shortest form.
 * Null if the text is not a price.
 */
export function normalisePrice(written: string): string | null {
  const price = parsePrice(written);
  if (price === null) return null;
  const isPlain = /^-?(?:0|[1-9]\d*)(?:\.\d{1,9})?$/.test(written) && !(price === 0n && written.startsWith('-'));
  return isPlain ? written : formatDecimal(price);
}

export const listSeriesIdsOfTerms = (terms: Pick<TariffPriceTerms, 'import' | 'export'>): string[] => [
  ...new Set([terms.import, terms.export].flatMap((rates) => (rates && 'series_id' in rates ? [rates.series_id] : []))),
];

/** Converts a stored tariff to the form that cost computations use. */
export function parseTariff({ tariff_id, user_id, name, valid_from, currency, terms }: StoredTariff): Tariff {
  return {
    tariffId: tariff_id,
    userId: user_id,
    name,
    validFrom: valid_from,
    currency,
    standingPerDay: terms.standing_per_day === undefined ? null : priceOf(terms.standing_per_day),
    capacity: terms.capacity ? capacityOf(terms.capacity) : null,
    import: ratesOf(terms.import),
    export: terms.export ? ratesOf(terms.export) : null,
  };
}

const ONE = castToBillionths(1_000_000_000n);
const NONE = castToBillionths(0n);
const MINUTES_PER_DAY = 1_440;

/** Parses a price that was validated before it was stored. */
function priceOf(text: string): Billionths {
  const price = parsePrice(text);
  if (price === null) throw new RangeError(`${text} is no price`);
  return price;
}

const capacityOf = ({ per_kw_month, months_averaged = 1, minimum_kw = '0' }: CapacityTerms): CapacityCharge => ({
  perKwMonth: priceOf(per_kw_month),
  monthsAveraged: months_averaged,
  minimumKw: priceOf(minimum_kw),
});

function ratesOf(rates: RateTerms): TariffRates {
  if ('per_kwh' in rates) return { kind: 'flat', perKwh: priceOf(rates.per_kwh) };
  if ('periods' in rates) return { kind: 'periods', periods: rates.periods.map(periodOf) };
  const { series_id: seriesId, multiply, add } = rates;
  return {
    kind: 'series',
    seriesId,
    multiply: multiply === undefined ? ONE : priceOf(multiply),
    add: add === undefined ? NONE : priceOf(add),
  };
}

const periodOf = ({ per_kwh, days, months, from, to }: RatePeriodTerms): RatePeriod => ({
  perKwh: priceOf(per_kwh),
  days: days ? new Set(days) : null,
  months: months ? new Set(months) : null,
  fromMinute: from === undefined ? 0 : minuteOf(from),
  toMinute: to === undefined ? MINUTES_PER_DAY : minuteOf(to),
});

/** Converts HH:MM to minutes after midnight. */
function minuteOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

/** Whether a period of a tariff is empty, because it ends when it begins. */
export const isEmptyRatePeriod = ({ from = '00:00', to = '24:00' }: Pick<RatePeriodTerms, 'from' | 'to'>): boolean =>
  from === to;

/** Whether a period of a tariff applies only at certain times. */
export const hasTimeCondition = ({ per_kwh: _, ...condition }: RatePeriodTerms): boolean =>
  Object.keys(omitUndefined(condition)).length > 0;
