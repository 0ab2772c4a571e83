import { DateTime } from 'luxon';
import { AppError } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import { exportsKnownUntil } from '#src/energy/home/running.ts';
import type { Range } from '#src/energy/ranges.ts';
import type { Cost } from './cost.ts';
import { sourcesOf, totalOf } from './costs.ts';

/**
 * What each of some periods (Unix ms, whole days or months of the user's zone) of a home cost so far; null where no tariff held, nothing of
 * it has begun, or tariffs of two currencies hold. While what is fed in is told later than what is imported, up to the quarter-hour until which
 * both are known: what a home will have earned would look paid.
 */
export async function runningCosts(
  db: Database,
  userId: string,
  periods: readonly { startMs: number; endMs: number }[],
  now: Date,
): Promise<(Cost | null)[]> {
  const sources = await sourcesOf(db, { userId });
  const earns = sources.tariffs.some((tariff) => tariff.export !== null);
  const untilMs = earns ? await exportsKnownUntil(db, userId, now.getTime()) : Number.POSITIVE_INFINITY;
  // A quarter-hour that begins at that time has not begun.
  const until = new Date(Math.min(now.getTime(), untilMs - 1));
  const costs: (Cost | null)[] = [];
  for (const { startMs, endMs } of periods) {
    const range = rangeOf(startMs, endMs, sources.zone);
    costs.push(range.from > until ? null : await orNull(totalOf(sources, { range, now: until })));
  }
  return costs;
}

const rangeOf = (startMs: number, endMs: number, zone: string): Range => {
  const dateOf = (ms: number) => DateTime.fromMillis(ms, { zone }).toISODate() ?? '';
  return { from: new Date(startMs), to: new Date(endMs), zone, start: dateOf(startMs), end: dateOf(endMs - 1) };
};

/** Nothing else about costs is the fault of whoever asks. */
export const isOfTwoCurrencies = (error: unknown): boolean => error instanceof AppError && error.is === 'unprocessable';

/** The answer, or null if tariffs of two currencies hold in its time. */
export async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (isOfTwoCurrencies(error)) return null;
    throw error;
  }
}
