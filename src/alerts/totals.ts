import type { MilliwattHours } from '#src/core/units.ts';
import { DAY_MS, HOUR_MS } from '#src/core/units.ts';
import { type Database, queryOf } from '#src/database/connect.ts';
import { composedAmong } from '#src/energy/home/home.ts';
import { usedInPeriods } from '#src/energy/home/running.ts';
import { COLUMN, ROW_TIME } from '#src/rollups/levels.ts';
import type { Period } from './period.ts';

const ENERGY = COLUMN.energyMilliwattHours;

/** A period of an alert's user. */
export interface Asked extends Period {
  alertId: string;
  userId: string;
}

/** The parts of a period by the aggregate that has their closed hours; `[from, to)` in Unix ms, empty where from = to. */
export interface Pieces {
  /** Whole UTC days, where there are two or more: months. */
  days: [number, number];
  /** UTC hours before and after those days; all of it where there are none. */
  before: [number, number];
  after: [number, number];
  /** Quarter-hours: where the period does not begin and end with a UTC hour. */
  quarters: [number, number];
}

/** Cuts a period so that few rows add up to it. Pure. */
export function piecesOf({ startMs, endMs }: Period): Pieces {
  const none: [number, number] = [startMs, startMs];
  if (startMs % HOUR_MS !== 0 || endMs % HOUR_MS !== 0) {
    return { days: none, before: none, after: none, quarters: [startMs, endMs] };
  }
  const [firstDay, lastDay] = [Math.ceil(startMs / DAY_MS) * DAY_MS, Math.floor(endMs / DAY_MS) * DAY_MS];
  if (lastDay - firstDay < 2 * DAY_MS) return { days: none, before: [startMs, endMs], after: none, quarters: none };
  return { days: [firstDay, lastDay], before: [startMs, firstDay], after: [lastDay, endMs], quarters: none };
}

/**
 * What the periods came to so far, in mWh, by their index; those that have fired already, or of which nothing is known, are left out. In the
 * transaction that took the changes, of which `db` is.
 */
export async function totalsOf(
  db: Database,
  asked: readonly Asked[],
  nowMs: number,
): Promise<Map<number, MilliwattHours>> {
  const totals = await importsOf(db, asked);
  const composed = await composedAmong(db, [
    ...new Set([...totals.keys()].map((index) => (asked[index] as Asked).userId)),
  ]);
  const ofUsers = Map.groupBy(totals.keys(), (index) => (asked[index] as Asked).userId);
  for (const userId of composed) {
    const indexes = ofUsers.get(userId) ?? [];
    const periods = indexes.map((index) => asked[index] as Asked);
    for (const [place, used] of (await usedInPeriods(db, userId, periods, nowMs)).entries()) {
      const index = indexes[place] as number;
      if (used === null) totals.delete(index);
      else totals.set(index, used);
    }
  }
  return totals;
}

/** The same of what all devices imported: what homes used that are made of nothing else. */
async function importsOf(db: Database, asked: readonly Asked[]): Promise<Map<number, MilliwattHours>> {
  const pieces = asked.map(piecesOf);
  const column = (of: (one: Pieces) => number) => pieces.map((one) => new Date(of(one)));
  // Raw SQL: the hot path of alerts: any number of periods is one statement, by unnest.
  const { rows } = await queryOf(db)<{ place: number; total_milliwatt_hours: MilliwattHours }>(
    `SELECT c.place::int AS place, (
       coalesce((SELECT sum(d.${ENERGY}) FROM closed_user_daily d
         WHERE c.days_from < c.days_to AND d.user_id = c.user_id AND d.day >= c.days_from AND d.day < c.days_to), 0)
       + coalesce((SELECT sum(h.${ENERGY}) FROM closed_user_hourly h
         WHERE c.before_from < c.before_to AND h.user_id = c.user_id AND h.hour >= c.before_from AND h.hour < c.before_to), 0)
       + coalesce((SELECT sum(h.${ENERGY}) FROM closed_user_hourly h
         WHERE c.after_from < c.after_to AND h.user_id = c.user_id AND h.hour >= c.after_from AND h.hour < c.after_to), 0)
       + coalesce((SELECT sum(q.${ENERGY}) FROM closed_device_intervals q
         WHERE c.quarters_from < c.quarters_to AND q.user_id = c.user_id AND q.starts_at >= c.quarters_from AND q.starts_at < c.quarters_to
           AND q.${ROW_TIME} > c.quarters_from - interval '24 hours' AND q.${ROW_TIME} < c.quarters_to), 0)
       + coalesce((SELECT sum(o.${ENERGY}) FROM open_hours o
         WHERE c.quarters_from = c.quarters_to AND o.user_id = c.user_id AND o.hour >= c.period_start AND o.hour < c.period_end), 0)
       + coalesce((SELECT sum(o.${ENERGY}) FROM open_quarter_hours o
         WHERE c.quarters_from < c.quarters_to AND o.user_id = c.user_id AND o.starts_at >= c.quarters_from AND o.starts_at < c.quarters_to), 0)
     )::bigint AS total_milliwatt_hours
     FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[], $6::timestamptz[], $7::timestamptz[],
       $8::timestamptz[], $9::timestamptz[], $10::timestamptz[], $11::timestamptz[], $12::timestamptz[]) WITH ORDINALITY
       c (alert_id, user_id, period_start, period_end, days_from, days_to, before_from, before_to, after_from, after_to, quarters_from, quarters_to, place)
     WHERE NOT EXISTS (SELECT FROM alert_firings f
       WHERE f.alert_id = c.alert_id AND f.period_start = c.period_start AND f.device_id = '')`,
    [
      asked.map(({ alertId }) => alertId),
      asked.map(({ userId }) => userId),
      asked.map(({ startMs }) => new Date(startMs)),
      asked.map(({ endMs }) => new Date(endMs)),
      column(({ days }) => days[0]),
      column(({ days }) => days[1]),
      column(({ before }) => before[0]),
      column(({ before }) => before[1]),
      column(({ after }) => after[0]),
      column(({ after }) => after[1]),
      column(({ quarters }) => quarters[0]),
      column(({ quarters }) => quarters[1]),
    ],
  );
  return new Map(rows.map(({ place, total_milliwatt_hours }) => [place - 1, total_milliwatt_hours]));
}
