import { DateTime } from 'luxon';
import { AppError } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import { findEndOfKnownGridData } from '#src/energy/home/usage-so-far.ts';
import type { DayRange } from '#src/energy/ranges.ts';
import type { Cost } from './cost.ts';
import { loadCostSources } from './costs.ts';
import { computeTotalCost } from './sums.ts';

/**
 * Returns the cost so far of each period of a home (Unix ms, whole days or months). Null if no tariff was valid, the period has not begun,
 * or the currency changed. If the tariff pays for exports, the costs end at the last time at which both import and export are known.
 * Otherwise they would be too high while exports are reported late.
 */
export async function loadCostsOfCurrentPeriods(
  db: Database,
  userId: string,
  periods: readonly { startMs: number; endMs: number }[],
  now: Date,
): Promise<(Cost | null)[]> {
  const sources = await loadCostSources(db, { userId });
  const earns = sources.tariffs.some((tariff) => tariff.export !== null);
  const untilMs = earns ? await findEndOfKnownGridData(db, userId, now.getTime()) : Number.POSITIVE_INFINITY;
  // `until` is inclusive.
  const until = new Date(Math.min(now.getTime(), untilMs - 1));
  const costs: (Cost | null)[] = [];
  for (const { startMs, endMs } of periods) {
    const range = rangeOf(startMs, endMs, sources.zone);
    costs.push(
      range.from > until ? null : await returnNullIfMixedCurrencies(computeTotalCost(sources, { range, now: until })),
    );
  }
  return costs;
}

const rangeOf = (startMs: number, endMs: number, zone: string): DayRange => {
  const dateOf = (ms: number) => DateTime.fromMillis(ms, { zone }).toISODate() ?? '';
  return { from: new Date(startMs), to: new Date(endMs), zone, start: dateOf(startMs), end: dateOf(endMs - 1) };
};

/** Whether the error reports tariffs of two currencies in one range. */
export const isMixedCurrenciesError = (error: unknown): boolean =>
  error instanceof AppError && error.is === 'unprocessable';

/** Returns null instead of the error that reports tariffs of two currencies. */
export async function returnNullIfMixedCurrencies<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (isMixedCurrenciesError(error)) return null;
    throw error;
  }
}
