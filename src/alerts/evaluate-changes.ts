import type { MilliwattHours } from '#src/core/units.ts';
import {
  createDatabaseOnConnection,
  createQueryFunctionOnConnection,
  type Database,
  type Pool,
  type PoolClient,
  type QueryFunction,
} from '#src/database/connect.ts';
import { runInTransaction } from '#src/database/transaction.ts';
import { queueChangedHours, usersWithUsageRecipientsSql } from '#src/delivery/usage-updated.ts';
import { type CostAlertEvaluation, evaluateCostAlerts } from './costs.ts';
import { PERIOD_KINDS } from './evaluate.ts';
import { type AlertFiring, fireAlerts } from './fire.ts';
import { isCostAlertType, listHoursToEvaluate, PERIOD_KIND_BY_ALERT_TYPE } from './period.ts';
import type { AlertEvaluator } from './pool.ts';
import { type AlertRule, type AlertRulePeriod, createFiringFields, loadActiveRules } from './rule.ts';
import { computeUsageTotals } from './totals.ts';

/**
 * Maximum number of changed hours that one transaction takes from the queue. A single queue row with more hours is taken alone.
 */
const MAX_CHANGES = 5_000;
/** Maximum time in ms for which one transaction computes costs. Meanwhile, the alerts on usage in the same batch wait. */
const MAX_COSTS_MS = 500;

interface AlertEvaluationResult {
  /** Number of changed hours that were processed. */
  changes: number;
  /** Whether changes remain in the queue after this pass. */
  hasMore: boolean;
  candidates: number;
  fired: number;
  /** Users whose costs could not be computed, with the error. */
  faults: CostAlertEvaluation['faults'];
}

/** A changed hour of a user. If `costs_only` is set, the usage is unchanged and only alerts on costs are evaluated. */
interface Change {
  user_id: string;
  hour: Date;
  costs_only: boolean;
}

/**
 * Evaluates the alerts of all users whose hours have changed, and queues the hours for `usage.updated` events, in one
 * transaction. Several workers can run this at the same time, because each takes different rows.
 */
export async function evaluateChangedHours(
  pool: Pool,
  evaluator: AlertEvaluator,
  now: Date,
  maxChanges = MAX_CHANGES,
  maxCostsMs = MAX_COSTS_MS,
): Promise<AlertEvaluationResult> {
  return runInTransaction(pool, async (client: PoolClient) => {
    const query = createQueryFunctionOnConnection(client);
    const { count, hasMore, rows } = await takeChanges(query, maxChanges);
    if (rows.length === 0) return { changes: count, hasMore, candidates: 0, fired: 0, faults: [] };
    const rules = await loadActiveRules(query, [...new Set(rows.map(({ user_id }) => user_id))]);
    const asked = await candidatesOf(evaluator, rules, rows, now);
    const open = await filterUnfired(query, asked);
    const onUsage = await evaluateUsage(
      createDatabaseOnConnection(client),
      open.filter(({ rule }) => !isCostAlertType(rule.type)),
      now,
    );
    const onCosts = await evaluateCostAlerts(
      client,
      open.filter(({ rule }) => isCostAlertType(rule.type)),
      {
        firstUsers: new Set(rows.flatMap(({ user_id, costs_only }) => (costs_only ? [user_id] : []))),
        maxMs: maxCostsMs,
        now,
      },
    );
    const fired = await fireAlerts(query, [...onUsage, ...onCosts.firings], now);
    await queueChangedHours(
      query,
      rows.filter(({ costs_only }) => !costs_only),
    );
    const { isMoreWaiting, faults } = onCosts;
    return { changes: count, hasMore: hasMore || isMoreWaiting, candidates: asked.length, fired, faults };
  });
}

/**
 * Takes changed hours from the queue in the caller's transaction. Returns each hour once, for users who have alerts or whose
 * `usage.updated` events have a receiver. Hours of a day whose aggregates are being recomputed stay in the queue.
 */
async function takeChanges(
  query: QueryFunction,
  maxChanges: number,
): Promise<{ count: number; hasMore: boolean; rows: Change[] }> {
  // Raw SQL: FOR UPDATE SKIP LOCKED takes rows from the queue.
  const { rows: found } = await query<{ change_id: number; users: number }>(
    `SELECT change_id, cardinality(user_ids) AS users FROM usage_changes c
     WHERE c.is_held IS NOT TRUE AND NOT EXISTS (SELECT FROM stale_days s WHERE s.day = date_trunc('day', c.hour, 'UTC'))
     ORDER BY change_id LIMIT $1 FOR UPDATE OF c SKIP LOCKED`,
    [maxChanges],
  );
  let count = 0;
  const taken: number[] = [];
  for (const { change_id, users } of found) {
    if (count > 0 && count + users > maxChanges) break;
    taken.push(change_id);
    count += users;
  }
  const hasMore = taken.length < found.length || found.length === maxChanges;
  if (taken.length === 0) return { count, hasMore, rows: [] };
  const { rows } = await query<Change>(
    `WITH taken AS (DELETE FROM usage_changes WHERE change_id = ANY ($1) RETURNING hour, user_ids, costs_only),
     changed AS MATERIALIZED (SELECT c.user_id, t.hour, t.costs_only FROM taken t, unnest(t.user_ids) c (user_id)),
     wanted AS (
       SELECT user_id FROM changed JOIN alerts USING (user_id) WHERE status = 'active' AND type <> 'no_data'
       UNION ${usersWithUsageRecipientsSql('changed')})
     SELECT DISTINCT user_id, hour, costs_only FROM changed JOIN wanted USING (user_id) JOIN users USING (user_id)`,
    [taken],
  );
  return { count, hasMore, rows };
}

/** Returns, for each alert rule, the periods that contain a changed hour, without duplicates. Worker threads compute the periods. */
async function candidatesOf(
  evaluator: AlertEvaluator,
  rules: readonly AlertRule[],
  changes: readonly Change[],
  now: Date,
): Promise<AlertRulePeriod[]> {
  if (rules.length === 0) return [];
  const users = new Map<string, number>();
  for (const { user_id } of rules) if (!users.has(user_id)) users.set(user_id, users.size);
  const zones = [...new Set(rules.map(({ timezone }) => timezone))];
  const ofUsers = changes.flatMap(({ user_id, hour, costs_only }) => {
    const user = users.get(user_id);
    if (user === undefined) return [];
    return costs_only
      ? listHoursToEvaluate(now.getTime()).map((hourMs) => ({ user, hourMs }))
      : [{ user, hourMs: hour.getTime() }];
  });
  const found = await evaluator.candidates(
    {
      kind: Uint8Array.from(rules, ({ type }) => PERIOD_KINDS.indexOf(PERIOD_KIND_BY_ALERT_TYPE[type])),
      zone: Uint16Array.from(rules, ({ timezone }) => zones.indexOf(timezone)),
      user: Uint32Array.from(rules, ({ user_id }) => users.get(user_id) as number),
    },
    zones,
    {
      user: Uint32Array.from(ofUsers, ({ user }) => user),
      hourMs: Float64Array.from(ofUsers, ({ hourMs }) => hourMs),
    },
    now.getTime(),
  );
  return Array.from(found.rule, (place, index) => {
    const rule = rules[place] as AlertRule;
    const [startMs, endMs] = [found.startMs[index] as number, found.endMs[index] as number];
    return { rule, userId: rule.user_id, startMs, endMs };
  });
}

/** Returns the periods for which the alert has not fired yet, in the given order. */
async function filterUnfired(query: QueryFunction, asked: readonly AlertRulePeriod[]): Promise<AlertRulePeriod[]> {
  if (asked.length === 0) return [];
  // Raw SQL: `unnest` checks any number of periods in one statement.
  const { rows } = await query<{ place: number }>(
    `SELECT c.place::int AS place FROM unnest($1::text[], $2::timestamptz[]) WITH ORDINALITY c (alert_id, period_start, place)
     WHERE NOT EXISTS (SELECT FROM alert_firings f
       WHERE f.alert_id = c.alert_id AND f.period_start = c.period_start AND f.device_id = '') ORDER BY 1`,
    [asked.map(({ rule }) => rule.alert_id), asked.map(({ startMs }) => new Date(startMs))],
  );
  return rows.map(({ place }) => asked[place - 1] as AlertRulePeriod);
}

/** Returns a firing for each period whose usage exceeds the threshold of its alert. */
async function evaluateUsage(db: Database, asked: readonly AlertRulePeriod[], now: Date): Promise<AlertFiring[]> {
  if (asked.length === 0) return [];
  return [...(await computeUsageTotals(db, asked, now.getTime()))].flatMap(([index, total]) => {
    const one = asked[index] as AlertRulePeriod;
    const threshold = one.rule.threshold_milliwatt_hours as MilliwattHours;
    if (total <= threshold) return [];
    const reason = { of: 'usage' as const, thresholdMilliwattHours: threshold, totalMilliwattHours: total };
    return [{ ...createFiringFields(one), reason }];
  });
}
