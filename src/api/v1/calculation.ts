import { DateTime } from 'luxon';
import type { ApiContext } from '#src/api/context.ts';
import { loadAccessibleUser } from '#src/auth/access.ts';
import type { Caller } from '#src/auth/authenticate.ts';
import { AppError, createUnprocessableError } from '#src/core/errors.ts';
import type { Calculator } from '#src/cost/calculator.ts';
import { createDayRange } from '#src/energy/ranges.ts';

/**
 * Prepares a long calculation over days in a user's time zone. Throws the errors of `loadAccessibleUser`, and 422 if the first day is in
 * the future. The returned function `run` runs the calculation outside the event loop, and throws the errors of `Calculator.run`. An
 * account can run only one calculation at a time.
 */
export async function prepareLongCalculation(
  { db, calculator, clock }: ApiContext,
  caller: Caller,
  { user_id, start, end }: { user_id: string | undefined; start: string; end: string },
) {
  if (!calculator) throw new AppError('unavailable');
  const { user_id: userId, timezone: zone } = await loadAccessibleUser(db, caller, user_id);
  const now = clock();
  if (start > (DateTime.fromJSDate(now, { zone }).toISODate() ?? ''))
    throw createUnprocessableError({ field: 'start', message: 'must not lie in the future' });
  return {
    userId,
    zone,
    range: createDayRange(start, end, zone),
    now,
    run: <T>(work: (calculator: Calculator, signal: AbortSignal) => Promise<T>): Promise<T> =>
      calculator.run(caller.accountId, (signal) => work(calculator, signal)),
  };
}
