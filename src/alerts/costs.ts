import { parseDecimal } from '#src/core/decimal.ts';
import type { Cost } from '#src/cost/cost.ts';
import { costsSoFar } from '#src/cost/running.ts';
import { type Database, type PoolClient, type Query, queryOn } from '#src/database/connect.ts';
import { inSavepoint } from '#src/database/transaction.ts';
import type { AlertFiring } from './fire.ts';
import type { Evaluator } from './pool.ts';
import { type RulePeriod, toFiringFields } from './rule.ts';

/** SQLSTATE classes of transient errors (connections, deadlocks, resources, locks, shutdown): the batch is evaluated again later. */
const PASSES = /^(08|40|53|55|57P)/;
/**
 * Bound to which amounts are clamped before they are compared with thresholds, in billionths. Every threshold is lower
 * (src/tariffs/terms.ts), so clamping does not change the result.
 */
const BEYOND = 10n ** 18n;

/** Result of an evaluation of alerts on costs. */
export interface CostAlertEvaluation {
  firings: AlertFiring[];
  /** Whether there are users whose costs were deferred to the next transaction. */
  isMoreWaiting: boolean;
  /** Users whose costs could not be computed because of an internal error. Other users are not affected. */
  faults: { userId: string; error: unknown }[];
}

/**
 * Finds the periods that cost more than their alerts' thresholds, in the transaction that took the changes. The costs of each user are
 * computed once for all of the user's alerts. After `maxMs` the remaining users are deferred to the next transaction; at least one user is
 * always evaluated. `firstUsers`: users deferred by an earlier transaction; they are evaluated first.
 */
export async function evaluateCosts(
  client: PoolClient,
  evaluator: Evaluator,
  asked: readonly RulePeriod[],
  { firstUsers, maxMs, now }: { firstUsers: ReadonlySet<string>; maxMs: number; now: Date },
): Promise<CostAlertEvaluation> {
  if (asked.length === 0) return { firings: [], isMoreWaiting: false, faults: [] };
  const query = queryOn(client);
  const ofUsers = Map.groupBy(await unfired(query, asked), ({ userId }) => userId);
  const users = [...ofUsers.keys()].sort((a, b) => Number(firstUsers.has(b)) - Number(firstUsers.has(a)));
  const faults: CostAlertEvaluation['faults'] = [];
  const known: { one: RulePeriod; cost: Cost }[] = [];
  const untilMs = performance.now() + maxMs;
  let count = 0;
  for (const userId of users) {
    if (count > 0 && performance.now() >= untilMs) break;
    count++;
    const periods = ofUsers.get(userId) ?? [];
    const asking = await inSavepoint(client, (db) => costsOf(db, userId, periods, now));
    if ('value' in asking) known.push(...asking.value);
    else if (PASSES.test(String((asking.error as { code?: unknown })?.code))) throw asking.error;
    else faults.push({ userId, error: asking.error });
  }
  const deferred = users.slice(count);
  if (deferred.length > 0) await leave(query, deferred, now);
  const firings = await above(evaluator, known);
  return { firings, isMoreWaiting: deferred.length > 0, faults };
}

/** Returns the costs of a user's periods, without those whose cost is unknown. Alerts on the same period share its cost. */
async function costsOf(db: Database, userId: string, asked: readonly RulePeriod[], now: Date) {
  const byStart = Map.groupBy(asked, ({ startMs, endMs }) => `${startMs} ${endMs}`);
  const groups = [...byStart.values()];
  const periods = groups.map(([first]) => first as RulePeriod);
  const costs = await costsSoFar(db, userId, periods, now);
  return groups.flatMap((ones, index) => {
    const cost = costs[index];
    return cost ? ones.map((one) => ({ one, cost })) : [];
  });
}

async function above(evaluator: Evaluator, known: readonly { one: RulePeriod; cost: Cost }[]): Promise<AlertFiring[]> {
  if (known.length === 0) return [];
  const fired = await evaluator.above({
    totalBillionths: BigInt64Array.from(known, ({ cost }) => toComparableBillionths(cost.total)),
    thresholdBillionths: BigInt64Array.from(known, ({ one }) => toComparableBillionths(one.rule.threshold ?? '')),
  });
  return Array.from(fired, (place) => {
    const { one, cost } = known[place] as (typeof known)[number];
    const { total, currency } = cost;
    return { ...toFiringFields(one), reason: { of: 'cost', threshold: one.rule.threshold ?? '', total, currency } };
  });
}

/** Converts an amount to billionths for comparison with thresholds; amounts beyond every threshold are clamped. */
export function toComparableBillionths(amount: string): bigint {
  const exact = parseDecimal(amount) ?? (amount.startsWith('-') ? -BEYOND : BEYOND);
  if (exact > BEYOND) return BEYOND;
  return exact < -BEYOND ? -BEYOND : exact;
}

/** Returns the periods whose alert has not fired yet. */
async function unfired(query: Query, asked: readonly RulePeriod[]): Promise<RulePeriod[]> {
  // Raw SQL: `unnest` checks any number of periods in one statement.
  const { rows } = await query<{ place: number }>(
    `SELECT c.place::int AS place FROM unnest($1::text[], $2::timestamptz[]) WITH ORDINALITY c (alert_id, period_start, place)
     WHERE NOT EXISTS (SELECT FROM alert_firings f
       WHERE f.alert_id = c.alert_id AND f.period_start = c.period_start AND f.device_id = '') ORDER BY c.place`,
    [asked.map(({ alertId }) => alertId), asked.map(({ startMs }) => new Date(startMs))],
  );
  return rows.map(({ place }) => asked[place - 1] as RulePeriod);
}

const leave = (query: Query, userIds: readonly string[], now: Date): Promise<unknown> =>
  query(
    `INSERT INTO usage_changes (hour, user_ids, costs_only) VALUES (date_trunc('hour', $2::timestamptz), $1, true)`,
    [userIds, now],
  );
