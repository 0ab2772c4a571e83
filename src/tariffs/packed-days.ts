import { type Billionths, castToBillionths } from '#src/core/decimal.ts';
import { DAY_MS, MINUTE_MS } from '#src/core/units.ts';

/** Start of the year 2100. Prices from this time on are an error, because they could fill the disk. */
const END_MS = Date.UTC(2100, 0, 1);

/** A price, and the time (Unix ms) from which the price is valid. */
export interface TimedPrice {
  startsAtMs: number;
  perKwh: Billionths;
}

export interface PackedPriceDay {
  day: Date;
  /** Prices of the day as a `bigint[]` in PostgreSQL's text form. */
  prices: string;
}

/** Returns the start of the UTC day that contains a time, Unix ms. */
export const getStartOfUtcDay = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS;

/** Parses an ISO 8601 time to Unix ms. NaN if it has a fraction of a second. */
export const parsePriceTime = (time: string): number => (/\.0*[1-9]/.test(time) ? Number.NaN : Date.parse(time));

/** Returns at most `most` validation errors in the times of prices, each with the index of its price in the list. */
export function findPriceTimeErrors(
  prices: readonly Pick<TimedPrice, 'startsAtMs'>[],
  resolutionMinutes: number,
  most: number,
): { index: number; message: string }[] {
  const wrong: { index: number; message: string }[] = [];
  const seen = new Set<number>();
  for (const [index, { startsAtMs }] of prices.entries()) {
    if (wrong.length === most) break;
    if (startsAtMs % (resolutionMinutes * MINUTE_MS) !== 0)
      wrong.push({ index, message: `must be a multiple of ${resolutionMinutes} minutes in UTC` });
    else if (startsAtMs < 0 || startsAtMs >= END_MS)
      wrong.push({ index, message: 'must lie in the years 1970 to 2099' });
    else if (seen.has(startsAtMs)) wrong.push({ index, message: 'occurs twice' });
    seen.add(startsAtMs);
  }
  return wrong;
}

/** Groups prices by UTC day, in order. Their times must be multiples of the resolution. */
export function packPrices(prices: readonly TimedPrice[], resolutionMinutes: number): PackedPriceDay[] {
  const resolutionMs = resolutionMinutes * MINUTE_MS;
  const byDay = Map.groupBy(prices, ({ startsAtMs }) => getStartOfUtcDay(startsAtMs));
  return [...byDay]
    .sort(([a], [b]) => a - b)
    .map(([dayMs, ofDay]) => {
      const slots = Array<Billionths | 'NULL'>(DAY_MS / resolutionMs).fill('NULL');
      for (const { startsAtMs, perKwh } of ofDay) slots[(startsAtMs - dayMs) / resolutionMs] = perKwh;
      return { day: new Date(dayMs), prices: `{${slots.join(',')}}` };
    });
}

/** Parses the prices of a day from comma-separated text. An empty element is an unknown price. */
export const unpackPrices = (text: string): (Billionths | null)[] =>
  text.split(',').map((one) => (one === '' ? null : castToBillionths(BigInt(one))));

export function listPricesOfDay(day: Date, slots: readonly (Billionths | null)[]): TimedPrice[] {
  const slotMs = DAY_MS / slots.length;
  return slots.flatMap((perKwh, index) =>
    perKwh === null ? [] : [{ startsAtMs: day.getTime() + index * slotMs, perKwh }],
  );
}

/** Returns the price at a time (Unix ms) from the prices of the day; null if unknown. */
export const findPriceInDay = (slots: readonly (Billionths | null)[], ms: number): Billionths | null =>
  slots[Math.floor(((ms - getStartOfUtcDay(ms)) * slots.length) / DAY_MS)] ?? null;

/** A stored day of a price series: its prices as text (`unpackPrices`). */
export interface PackedPrices {
  series_id: string;
  day: Date;
  slots: string;
}

/** Returns a function that looks up the price of a series at a time (Unix ms), in billionths; null if unknown. */
export function createPriceLookup(rows: readonly PackedPrices[]): (seriesId: string, ms: number) => Billionths | null {
  const series = new Map<string, Map<number, (Billionths | null)[]>>();
  for (const { series_id, day, slots } of rows) {
    const days = series.get(series_id) ?? new Map<number, (Billionths | null)[]>();
    series.set(series_id, days);
    days.set(day.getTime(), unpackPrices(slots));
  }
  return (seriesId, ms) => {
    const slots = series.get(seriesId)?.get(getStartOfUtcDay(ms));
    return slots ? findPriceInDay(slots, ms) : null;
  };
}
