import { parseDecimal } from '#src/core/decimal.ts';
import type { Cost } from '#src/cost/cost.ts';
import { loadCostsOfCurrentPeriods } from '#src/cost/running.ts';
import {
  createQueryFunctionOnConnection,
  type Database,
  type PoolClient,
  type QueryFunction,
} from '#src/database/connect.ts';
import { runInSavepoint } from '#src/database/transaction.ts';
import type { AlertFiring } from './fire.ts';
import { type AlertRulePeriod, createFiringFields } from './rule.ts';

/**
 * SQLSTATE classes of transient errors (connections, deadlocks, resources, locks, shutdown). The batch is evaluated again after
 * such an error.
 */
const PASSES = /^(08|40|53|55|57P)/;
/** Represents amounts that are too large to parse. It is higher than every threshold (in billionths of the currency). */
const BEYOND = 10n ** 18n;

export interface CostAlertEvaluation {
  firings: AlertFiring[];
  /** True if the costs of some users are left for the next transaction. */
  isMoreWaiting: boolean;
  /** Users whose costs could not be computed because of an internal error, with the error. */
  faults: { userId: string; error: unknown }[];
}

/**
 * Finds the periods whose cost exceeds the threshold of an alert. Must run in the transaction that took the changed hours from the queue.
 * If this takes longer than `maxMs`, the remaining users are left for the next transaction. `firstUsers`: users whom an earlier transaction
 * has left, and who are evaluated first.
 */
export async function evaluateCostAlerts(
  client: PoolClient,
  asked: readonly AlertRulePeriod[],
  { firstUsers, maxMs, now }: { firstUsers: ReadonlySet<string>; maxMs: number; now: Date },
): Promise<CostAlertEvaluation> {
  if (asked.length === 0) return { firings: [], isMoreWaiting: false, faults: [] };
  const query = createQueryFunctionOnConnection(client);
  const ofUsers = Map.groupBy(asked, ({ userId }) => userId);
  const users = [...ofUsers.keys()].sort((a, b) => Number(firstUsers.has(b)) - Number(firstUsers.has(a)));
  const faults: CostAlertEvaluation['faults'] = [];
  const firings: AlertFiring[] = [];
  const untilMs = performance.now() + maxMs;
  let count = 0;
  for (const userId of users) {
    if (count > 0 && performance.now() >= untilMs) break;
    count++;
    const periods = ofUsers.get(userId) ?? [];
    const asking = await runInSavepoint(client, (db) => costsOf(db, userId, periods, now));
    if ('value' in asking) firings.push(...asking.value.flatMap(firingAbove));
    else if (PASSES.test(String((asking.error as { code?: unknown })?.code))) throw asking.error;
    else faults.push({ userId, error: asking.error });
  }
  const deferred = users.slice(count);
  if (deferred.length > 0) await leave(query, deferred, now);
  return { firings, isMoreWaiting: deferred.length > 0, faults };
}

/** Returns the costs of a user's periods, except those whose cost is unknown. The cost of a period is computed once for all its alerts. */
async function costsOf(db: Database, userId: string, asked: readonly AlertRulePeriod[], now: Date) {
  const byStart = Map.groupBy(asked, ({ startMs, endMs }) => `${startMs} ${endMs}`);
  const groups = [...byStart.values()];
  const periods = groups.map(([first]) => first as AlertRulePeriod);
  const costs = await loadCostsOfCurrentPeriods(db, userId, periods, now);
  return groups.flatMap((ones, index) => {
    const cost = costs[index];
    return cost ? ones.map((one) => ({ one, cost })) : [];
  });
}

function firingAbove({ one, cost: { total, currency } }: { one: AlertRulePeriod; cost: Cost }): AlertFiring[] {
  const threshold = one.rule.threshold ?? '';
  if (parseAmountForComparison(total) <= parseAmountForComparison(threshold)) return [];
  return [{ ...createFiringFields(one), reason: { of: 'cost', threshold, total, currency } }];
}

/**
 * Converts an amount to billionths for comparison with thresholds. If the amount is too large to parse, the result exceeds every threshold.
 */
export const parseAmountForComparison = (amount: string): bigint =>
  parseDecimal(amount) ?? (amount.startsWith('-') ? -BEYOND : BEYOND);

/** Adds accounts to the queue again. A later transaction then evaluates their alerts on costs. */
const leave = (query: QueryFunction, userIds: readonly string[], now: Date): Promise<unknown> =>
  // Raw SQL: one queue row contains the ids of all accounts.
  query(
    `INSERT INTO usage_changes (hour, user_ids, costs_only) VALUES (date_trunc('hour', $2::timestamptz), $1, true)`,
    [userIds, now],
  );
