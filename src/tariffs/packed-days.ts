import { asBillionths, type Billionths } from '#src/core/decimal.ts';
import { DAY_MS, MINUTE_MS } from '#src/core/units.ts';

/** Start of the year 2100: what is later is a mistake, and rows for as many days as anybody writes would fill the disk. */
const END_MS = Date.UTC(2100, 0, 1);

/** A price and when it begins to hold, Unix ms. */
export interface PriceAt {
  startsAtMs: number;
  perKwh: Billionths;
}

/** Prices of a UTC day as they are stored. */
export interface PackedDay {
  day: Date;
  /** A `bigint[]` as PostgreSQL writes it. */
  prices: string;
}

/** Start of the UTC day that a time lies in, Unix ms. */
export const dayOf = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS;

/** Unix ms of an ISO 8601 time; NaN where it has more digits than milliseconds, none of which begins a quarter-hour. */
export const startOf = (time: string): number => (/\.0*[1-9]/.test(time) ? Number.NaN : Date.parse(time));

/** What is wrong with the times of some prices, at most `most` mistakes: by the place in the list. */
export function wrongTimes(
  prices: readonly Pick<PriceAt, 'startsAtMs'>[],
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
    else if (seen.has(startsAtMs)) wrong.push({ index, message: 'is given twice' });
    seen.add(startsAtMs);
  }
  return wrong;
}

/** Prices by UTC day, in order. Their times are multiples of the resolution. */
export function packed(prices: readonly PriceAt[], resolutionMinutes: number): PackedDay[] {
  const resolutionMs = resolutionMinutes * MINUTE_MS;
  const byDay = Map.groupBy(prices, ({ startsAtMs }) => dayOf(startsAtMs));
  return [...byDay]
    .sort(([a], [b]) => a - b)
    .map(([dayMs, ofDay]) => {
      const slots = Array<Billionths | 'NULL'>(DAY_MS / resolutionMs).fill('NULL');
      for (const { startsAtMs, perKwh } of ofDay) slots[(startsAtMs - dayMs) / resolutionMs] = perKwh;
      return { day: new Date(dayMs), prices: `{${slots.join(',')}}` };
    });
}

/** The prices of a day, in order: text with commas between them, nothing where none is known. */
export const unpacked = (text: string): (Billionths | null)[] =>
  text.split(',').map((one) => (one === '' ? null : asBillionths(BigInt(one))));

/** The prices of a stored day, with their times. */
export function pricesOf(day: Date, slots: readonly (Billionths | null)[]): PriceAt[] {
  const slotMs = DAY_MS / slots.length;
  return slots.flatMap((perKwh, index) =>
    perKwh === null ? [] : [{ startsAtMs: day.getTime() + index * slotMs, perKwh }],
  );
}

/** The price that holds at a time of a stored day; null: none is known. */
export const priceIn = (slots: readonly (Billionths | null)[], ms: number): Billionths | null =>
  slots[Math.floor(((ms - dayOf(ms)) * slots.length) / DAY_MS)] ?? null;
