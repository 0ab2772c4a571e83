import type { MilliwattHours } from '#src/core/units.ts';
import { type Database, databaseOn, type Pool, type PoolClient, type Query, queryOn } from '#src/database/connect.ts';
import { inTransaction } from '#src/database/transaction.ts';
import { keepForTelling } from '#src/delivery/usage-updated.ts';
import { subscriptionsTo } from '#src/events/outbox.ts';
import { KINDS } from './evaluate.ts';
import { type Firing, fire } from './fire.ts';
import { PERIOD_OF } from './period.ts';
import type { Evaluator } from './pool.ts';
import type { AlertDelivery, AlertType } from './store.ts';
import { type Asked, totalsOf } from './totals.ts';

/** Most changed hours of users that one transaction takes; a single row may have more. */
const MAX_CHANGES = 5_000;

interface Rule {
  alert_id: string;
  user_id: string;
  type: Exclude<AlertType, 'no_data'>;
  threshold_milliwatt_hours: MilliwattHours;
  delivery: AlertDelivery;
  timezone: string;
}

/** What a pass did. */
export interface Evaluated {
  /** Changed hours of users that it took. */
  changes: number;
  /** More than one pass takes at once was waiting. */
  hasMore: boolean;
  candidates: number;
  fired: number;
}

/**
 * Takes changed hours, evaluates the alerts of their users, fires those above their thresholds and keeps the hours for
 * `usage.updated`: one transaction. Any number of workers may do so at once, each takes other rows; one that is killed
 * leaves everything as it was.
 */
export async function raiseAlerts(
  pool: Pool,
  evaluator: Evaluator,
  now: Date,
  maxChanges = MAX_CHANGES,
): Promise<Evaluated> {
  return inTransaction(pool, async (client: PoolClient) => {
    const query = queryOn(client);
    const db = databaseOn(client);
    const { count, hasMore, rows } = await takeChanges(query, maxChanges);
    if (rows.length === 0) return { changes: count, hasMore, candidates: 0, fired: 0 };
    const rules = await rulesOf(query, [...new Set(rows.map(({ user_id }) => user_id))]);
    const { asked, firings } = await evaluate(db, evaluator, rules, rows, now);
    const fired = await fire(query, firings, now);
    await keepForTelling(query, rows);
    return { changes: count, hasMore, candidates: asked, fired };
  });
}

/**
 * Takes changed hours, in the caller's transaction: how many (of all users), and those of users with alerts or of whom somebody
 * is told. Each comes once, however many batches changed it. Days whose aggregates are being computed anew wait until they are.
 */
async function takeChanges(
  query: Query,
  maxChanges: number,
): Promise<{ count: number; hasMore: boolean; rows: { user_id: string; hour: Date }[] }> {
  // Raw SQL: the hot path of alerts: a queue is taken with FOR UPDATE SKIP LOCKED, and its arrays do not leave the database.
  const { rows: found } = await query<{ change_id: number; users: number }>(
    `SELECT change_id, cardinality(user_ids) AS users FROM usage_changes c
     WHERE NOT EXISTS (SELECT FROM stale_days s WHERE s.day = date_trunc('day', c.hour, 'UTC'))
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
  const { rows } = await query<{ user_id: string; hour: Date }>(
    `WITH taken AS (DELETE FROM usage_changes WHERE change_id = ANY ($1) RETURNING hour, user_ids),
     changed AS MATERIALIZED (SELECT DISTINCT c.user_id, t.hour FROM taken t, unnest(t.user_ids) c (user_id)),
     wanted AS (
       SELECT u.user_id FROM users u WHERE u.user_id IN (SELECT c.user_id FROM changed c) AND (
         EXISTS (SELECT FROM alerts a WHERE a.user_id = u.user_id AND a.status = 'active' AND a.type <> 'no_data')
         OR EXISTS (${subscriptionsTo("'usage.updated'", 'u')})))
     SELECT user_id, hour FROM changed JOIN wanted USING (user_id)`,
    [taken],
  );
  return { count, hasMore, rows };
}

async function rulesOf(query: Query, userIds: string[]): Promise<Rule[]> {
  const { rows } = await query<Rule>(
    `SELECT a.alert_id, a.user_id, a.type, a.threshold_milliwatt_hours, a.delivery, u.timezone
     FROM alerts a JOIN users u USING (user_id)
     WHERE a.user_id = ANY ($1) AND a.status = 'active' AND a.type <> 'no_data'`,
    [userIds],
  );
  return rows;
}

async function evaluate(
  db: Database,
  evaluator: Evaluator,
  rules: readonly Rule[],
  changes: readonly { user_id: string; hour: Date }[],
  now: Date,
): Promise<{ asked: number; firings: Firing[] }> {
  if (rules.length === 0) return { asked: 0, firings: [] };
  const users = new Map<string, number>();
  for (const { user_id } of rules) if (!users.has(user_id)) users.set(user_id, users.size);
  const zones = [...new Set(rules.map(({ timezone }) => timezone))];
  const ofUsers = changes.filter(({ user_id }) => users.has(user_id));
  const found = await evaluator.candidates(
    {
      kind: Uint8Array.from(rules, ({ type }) => KINDS.indexOf(PERIOD_OF[type])),
      zone: Uint16Array.from(rules, ({ timezone }) => zones.indexOf(timezone)),
      user: Uint32Array.from(rules, ({ user_id }) => users.get(user_id) as number),
    },
    zones,
    {
      user: Uint32Array.from(ofUsers, ({ user_id }) => users.get(user_id) as number),
      hourMs: Float64Array.from(ofUsers, ({ hour }) => hour.getTime()),
    },
    now.getTime(),
  );
  if (found.rule.length === 0) return { asked: 0, firings: [] };
  const asked = Array.from(found.rule, (rule, index): Asked & { rule: Rule } => {
    const one = rules[rule] as Rule;
    const [startMs, endMs] = [found.startMs[index] as number, found.endMs[index] as number];
    return { rule: one, alertId: one.alert_id, userId: one.user_id, startMs, endMs };
  });
  const totals = await totalsOf(db, asked, now.getTime());
  const open = [...totals.keys()];
  const fired = await evaluator.above({
    totalMilliwattHours: Float64Array.from(open, (index) => totals.get(index) as number),
    thresholdMilliwattHours: Float64Array.from(
      open,
      (index) => (asked[index] as { rule: Rule }).rule.threshold_milliwatt_hours,
    ),
  });
  const firings = Array.from(fired, (place) => {
    const index = open[place] as number;
    return firingOf(asked[index] as Asked & { rule: Rule }, totals.get(index) as MilliwattHours);
  });
  return { asked: asked.length, firings };
}

const firingOf = ({ rule, startMs, endMs }: Asked & { rule: Rule }, totalMilliwattHours: MilliwattHours): Firing => ({
  alertId: rule.alert_id,
  userId: rule.user_id,
  type: rule.type,
  delivery: rule.delivery,
  thresholdMilliwattHours: rule.threshold_milliwatt_hours,
  thresholdHours: null,
  periodStart: new Date(startMs),
  periodEnd: new Date(endMs),
  totalMilliwattHours,
  deviceId: null,
});
