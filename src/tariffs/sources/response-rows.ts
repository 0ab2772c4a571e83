import { type Billionths, parseScaledDecimal } from '#src/core/decimal.ts';
import { MINUTE_MS, QUARTER_HOUR_MS } from '#src/core/units.ts';
import { findPriceTimeErrors, type TimedPrice } from '../packed-days.ts';
import { MAX_PRICE } from '../terms.ts';

/** Maximum number of rows in a response. It equals the maximum number of values in a request to the API. */
export const MAX_RESPONSE_ROWS = 10_000;
export const TOO_MANY_ROWS_MESSAGE = 'the response has more than 10,000 values';
const MAX_BILLIONTHS = BigInt(MAX_PRICE) * 1_000_000_000n;

/** A row in a response: the time from which its value is valid (Unix ms) and the value as text, or the reason why it cannot be read. */
export type SourceResponseRow = { startsAtMs: number; value: string | undefined } | { problem: string };

/** A row that was not stored. `row`: its number from 1. The message contains no text of the response. */
interface ResponseRowProblem {
  row: number;
  message: string;
}

/** Result of reading a response. `failure`: a sentence that explains why no row can be stored, without text of the response. */
export type PriceRowsResult =
  | { prices: TimedPrice[]; problems: ResponseRowProblem[]; rows: number }
  | { failure: string };

/**
 * Returns the rows of a response that a series can store, in order of time, and the rows that it cannot store. Values are multiplied by
 * `factor`. Each value is valid for `heldMinutes`, and is stored for each interval of the series in this time.
 */
export function parseResponseRows(
  rows: readonly SourceResponseRow[],
  { factor, resolutionMinutes, heldMinutes }: { factor: Billionths; resolutionMinutes: number; heldMinutes: number },
): PriceRowsResult {
  if (rows.length === 0) return { failure: 'the response has no values' };
  if (rows.length > MAX_RESPONSE_ROWS) return { failure: TOO_MANY_ROWS_MESSAGE };
  if (heldMinutes < resolutionMinutes || isFiner(rows, resolutionMinutes))
    return { failure: explainTooShortIntervals(resolutionMinutes) };
  const problems: ResponseRowProblem[] = [];
  const read: (TimedPrice & { row: number })[] = [];
  for (const [index, row] of rows.entries()) {
    const price = priceOf(row, factor);
    if (typeof price === 'string') problems.push({ row: index + 1, message: price });
    else read.push({ ...price, row: index + 1 });
  }
  const wrong = new Map(
    findPriceTimeErrors(read, resolutionMinutes, read.length).map(({ index, message }) => [
      index,
      `starts_at ${message}`,
    ]),
  );
  const prices = read.flatMap(({ startsAtMs, perKwh, row }, index) => {
    const message = wrong.get(index);
    if (message !== undefined) {
      problems.push({ row, message });
      return [];
    }
    return Array.from({ length: heldMinutes / resolutionMinutes }, (_, part) => ({
      startsAtMs: startsAtMs + part * resolutionMinutes * MINUTE_MS,
      perKwh,
    }));
  });
  prices.sort((a, b) => a.startsAtMs - b.startsAtMs);
  problems.sort((a, b) => a.row - b.row);
  if (prices.length === 0) return { failure: `no row of the response can be used; ${describeProblem(problems)}` };
  return { prices, problems, rows: rows.length };
}

/** Returns the error message for a response whose intervals are shorter than the series' resolution. */
export const explainTooShortIntervals = (resolutionMinutes: number): string =>
  `the response has values for less than ${resolutionMinutes} minutes; use a series with a shorter resolution`;

/** Minimum number of rows for finding out whether the intervals are too short. In fewer rows, a single wrong time has too much weight. */
const MIN_ROWS_TO_JUDGE = 4;

/**
 * Whether the intervals of a response are shorter than the series' resolution: at least half of the rows begin between two values of the
 * series. Skipping these rows would apply the value of a quarter-hour to a whole hour.
 */
function isFiner(rows: readonly SourceResponseRow[], resolutionMinutes: number): boolean {
  const between = rows.filter(
    (row) =>
      'startsAtMs' in row &&
      row.startsAtMs % QUARTER_HOUR_MS === 0 &&
      row.startsAtMs % (resolutionMinutes * MINUTE_MS) !== 0,
  );
  return rows.length >= MIN_ROWS_TO_JUDGE && between.length * 2 >= rows.length;
}

function priceOf(row: SourceResponseRow, factor: Billionths): TimedPrice | string {
  if ('problem' in row) return row.problem;
  if (row.value === undefined) return 'value is missing';
  const perKwh = parseScaledDecimal(row.value.trim(), factor);
  if (perKwh === null || perKwh >= MAX_BILLIONTHS || perKwh <= -MAX_BILLIONTHS)
    return `value is not a decimal below ${MAX_PRICE}`;
  return { startsAtMs: row.startsAtMs, perKwh };
}

/** Describes the rows that were not stored: their number, and the problem of the first one. Null if there are none. */
export function describeRowProblems(problems: readonly ResponseRowProblem[], rows: number): string | null {
  if (problems.length === 0) return null;
  return `${problems.length} of ${rows} rows were not stored; ${describeProblem(problems)}`;
}

const describeProblem = ([first]: readonly ResponseRowProblem[]): string =>
  first ? `row ${first.row}: ${first.message}` : '';
