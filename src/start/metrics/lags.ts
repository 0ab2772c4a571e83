import { omitUndefined } from '#src/core/omit-undefined.ts';
import { type Pool, queryOn } from '#src/database/connect.ts';
import { waiting } from '#src/database/waiting.ts';

/** Queues in the database, by metric. */
export const LAGS: Record<string, string> = {
  energy_ingest_lag_seconds: 'Age of the youngest reading of any device',
  energy_late_differences_waiting: 'Late differences that are not in the aggregates yet',
  energy_stale_days: 'Days whose aggregates are to be computed anew',
  energy_usage_changes_waiting: 'Changed hours whose alerts are not evaluated yet',
  energy_deliveries_waiting: 'Deliveries that are neither through nor given up',
};

/** Their values; without a reading there is no lag. */
export async function lags(pool: Pool): Promise<Record<string, number>> {
  const { lagSeconds, lateDifferences, staleDays, usageChanges, deliveries } = await waiting(queryOn(pool), new Date());
  return {
    ...omitUndefined({ energy_ingest_lag_seconds: lagSeconds ?? undefined }),
    energy_late_differences_waiting: lateDifferences,
    energy_stale_days: staleDays,
    energy_usage_changes_waiting: usageChanges,
    energy_deliveries_waiting: deliveries,
  };
}
