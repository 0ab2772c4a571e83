import type { MilliwattHours } from '#src/core/units.ts';
import { type Database, queryOf } from '#src/database/connect.ts';
import { readUsageOfPeriods } from '#src/energy/home/running.ts';
import { filterComposedUsers } from '#src/energy/usage/composed.ts';
import { importsInSpans } from '#src/energy/usage/totals.ts';
import type { Period } from './period.ts';

/** A period of an alert, with the alert's user. */
export interface UserAlertPeriod extends Period {
  alertId: string;
  userId: string;
}

/**
 * Returns the usage of the periods so far, in mWh, by index. Periods that have already fired, or whose usage is unknown, are left out. `db`
 * must be the transaction that took the changes.
 */
export async function computeUsageTotals(
  db: Database,
  asked: readonly UserAlertPeriod[],
  nowMs: number,
): Promise<Map<number, MilliwattHours>> {
  const open = await openAmong(db, asked);
  const imports = await importsInSpans(
    queryOf(db),
    open.map((index) => asked[index] as UserAlertPeriod),
  );
  const totals = new Map(open.map((index, place) => [index, imports[place] as MilliwattHours]));
  const ofUsers = Map.groupBy(open, (index) => (asked[index] as UserAlertPeriod).userId);
  for (const userId of await filterComposedUsers(db, [...ofUsers.keys()])) {
    const indexes = ofUsers.get(userId) ?? [];
    const periods = indexes.map((index) => asked[index] as UserAlertPeriod);
    for (const [place, used] of (await readUsageOfPeriods(db, userId, periods, nowMs)).entries()) {
      const index = indexes[place] as number;
      if (used === null) totals.delete(index);
      else totals.set(index, used);
    }
  }
  return totals;
}

/** Returns the indexes of the periods whose alert has not fired yet, in order. */
async function openAmong(db: Database, asked: readonly UserAlertPeriod[]): Promise<number[]> {
  // Raw SQL: `unnest` checks any number of periods in one statement.
  const { rows } = await queryOf(db)<{ place: number }>(
    `SELECT c.place::int AS place FROM unnest($1::text[], $2::timestamptz[]) WITH ORDINALITY c (alert_id, period_start, place)
     WHERE NOT EXISTS (SELECT FROM alert_firings f
       WHERE f.alert_id = c.alert_id AND f.period_start = c.period_start AND f.device_id = '') ORDER BY 1`,
    [asked.map(({ alertId }) => alertId), asked.map(({ startMs }) => new Date(startMs))],
  );
  return rows.map(({ place }) => place - 1);
}
