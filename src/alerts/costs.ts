import { parseDecimal } from '#src/core/decimal.ts';
import type { Cost } from '#src/cost/cost.ts';
import { runningCosts } from '#src/cost/running.ts';
import { type Database, type PoolClient, type Query, queryOn } from '#src/database/connect.ts';
import { inPart } from '#src/database/transaction.ts';
import type { Firing } from './fire.ts';
import type { Evaluator } from './pool.ts';
import { type AskedOfRule, ofRule } from './rule.ts';

/** SQLSTATE classes of what is over when the batch is taken again: connections, deadlocks, resources, locks, shutdown. */
const PASSES = /^(08|40|53|55|57P)/;
/** Thresholds lie below it (src/tariffs/terms.ts), in billionths: what is beyond compares the same. */
const BEYOND = 10n ** 18n;

/** What alerts on costs came to. */
export interface EvaluatedCosts {
  firings: Firing[];
  /** Whose costs are asked for in another transaction. */
  isMoreWaiting: boolean;
  /** Whose costs could not be computed: a fault of ours, which holds up nobody else. */
  faults: { userId: string; error: unknown }[];
}

/**
 * Which periods cost more than their alerts' thresholds, in the transaction that took the changes: each user's costs are asked for once,
 * whatever number of alerts there is. Whom that takes longer than `maxMs` for is left for the next transaction, but for one. `firstUsers`: were
 * left before.
 */
export async function evaluateCosts(
  client: PoolClient,
  evaluator: Evaluator,
  asked: readonly AskedOfRule[],
  { firstUsers, maxMs, now }: { firstUsers: ReadonlySet<string>; maxMs: number; now: Date },
): Promise<EvaluatedCosts> {
  if (asked.length === 0) return { firings: [], isMoreWaiting: false, faults: [] };
  const query = queryOn(client);
  const ofUsers = Map.groupBy(await unfired(query, asked), ({ userId }) => userId);
  const users = [...ofUsers.keys()].sort((a, b) => Number(firstUsers.has(b)) - Number(firstUsers.has(a)));
  const faults: EvaluatedCosts['faults'] = [];
  const known: { one: AskedOfRule; cost: Cost }[] = [];
  const untilMs = performance.now() + maxMs;
  let count = 0;
  for (const userId of users) {
    if (count > 0 && performance.now() >= untilMs) break;
    count++;
    const periods = ofUsers.get(userId) ?? [];
    const asking = await inPart(client, (db) => costsOf(db, userId, periods, now));
    if ('value' in asking) known.push(...asking.value);
    else if (PASSES.test(String((asking.error as { code?: unknown })?.code))) throw asking.error;
    else faults.push({ userId, error: asking.error });
  }
  const left = users.slice(count);
  if (left.length > 0) await leave(query, left, now);
  const firings = await above(evaluator, known);
  return { firings, isMoreWaiting: left.length > 0, faults };
}

/** What the periods of a user cost, those that are known. Alerts on the same period share it. */
async function costsOf(db: Database, userId: string, asked: readonly AskedOfRule[], now: Date) {
  const byStart = Map.groupBy(asked, ({ startMs, endMs }) => `${startMs} ${endMs}`);
  const groups = [...byStart.values()];
  const periods = groups.map(([first]) => first as AskedOfRule);
  const costs = await runningCosts(db, userId, periods, now);
  return groups.flatMap((ones, index) => {
    const cost = costs[index];
    return cost ? ones.map((one) => ({ one, cost })) : [];
  });
}

async function above(evaluator: Evaluator, known: readonly { one: AskedOfRule; cost: Cost }[]): Promise<Firing[]> {
  if (known.length === 0) return [];
  const fired = await evaluator.above({
    totalBillionths: BigInt64Array.from(known, ({ cost }) => comparable(cost.total)),
    thresholdBillionths: BigInt64Array.from(known, ({ one }) => comparable(one.rule.threshold ?? '')),
  });
  return Array.from(fired, (place) => {
    const { one, cost } = known[place] as (typeof known)[number];
    const { total, currency } = cost;
    return { ...ofRule(one), reason: { of: 'cost', threshold: one.rule.threshold ?? '', total, currency } };
  });
}

/** An amount in billionths, which is compared with thresholds: one beyond all of them is as good as any. */
export function comparable(amount: string): bigint {
  const exact = parseDecimal(amount) ?? (amount.startsWith('-') ? -BEYOND : BEYOND);
  if (exact > BEYOND) return BEYOND;
  return exact < -BEYOND ? -BEYOND : exact;
}

/** Those that have not fired yet. */
async function unfired(query: Query, asked: readonly AskedOfRule[]): Promise<AskedOfRule[]> {
  // Raw SQL: any number of periods is one statement, by unnest.
  const { rows } = await query<{ place: number }>(
    `SELECT c.place::int AS place FROM unnest($1::text[], $2::timestamptz[]) WITH ORDINALITY c (alert_id, period_start, place)
     WHERE NOT EXISTS (SELECT FROM alert_firings f
       WHERE f.alert_id = c.alert_id AND f.period_start = c.period_start AND f.device_id = '') ORDER BY c.place`,
    [asked.map(({ alertId }) => alertId), asked.map(({ startMs }) => new Date(startMs))],
  );
  return rows.map(({ place }) => asked[place - 1] as AskedOfRule);
}

const leave = (query: Query, userIds: readonly string[], now: Date): Promise<unknown> =>
  query(
    `INSERT INTO usage_changes (hour, user_ids, costs_only) VALUES (date_trunc('hour', $2::timestamptz), $1, true)`,
    [userIds, now],
  );
