import { castToMilliwattHours, HOUR_MS, type MilliwattHours, milliwattHoursToKwh } from '#src/core/units.ts';
import {
  createDatabaseOnConnection,
  createQueryFunctionOnConnection,
  type Database,
  type Pool,
  type QueryFunction,
} from '#src/database/connect.ts';
import { runInTransaction } from '#src/database/transaction.ts';
import { loadHome } from '#src/energy/home/home.ts';
import { computeHomeUsage } from '#src/energy/home/sums.ts';
import { createDayRange } from '#src/energy/ranges.ts';
import { filterUsersWithComposedHomes } from '#src/energy/usage/composed-homes.ts';
import { readHomeSumsBySubDayUnit } from '#src/energy/usage/home-sums.ts';
import { readImportedEnergyInRanges } from '#src/energy/usage/totals.ts';
import type { EventBody, NewEvent } from '#src/events/bodies.ts';
import { usersWithFollowedHomesSql } from '#src/events/followers.ts';
import { addEvents, usersWithEventReceiversSql } from '#src/events/outbox.ts';

/** Minimum time in seconds between two `usage.updated` events of one user. */
const MIN_INTERVAL_SECONDS = 60;
/** Maximum number of users in one transaction, and of hours in one event. */
const MAX_USERS = 500;
const MAX_HOURS = 1_000;

/**
 * SQL condition on a row `t`: its user was notified within the last minute ($1: now). A time far in the future was written by a wrong clock
 * and is ignored.
 */
const RECENTLY = `t.told_at > $1::timestamptz - make_interval(secs => $2) AND t.told_at < $1::timestamptz + make_interval(secs => $2)`;

/**
 * Returns an SQL query for the users of a relation (its column `user_id`) whose home is followed by a webhook subscription or an open page.
 */
export const usersWithUsageRecipientsSql = (relation: string): string =>
  `${usersWithFollowedHomesSql(relation)} UNION ${usersWithEventReceiversSql(relation, "'usage.updated'")}`;

/**
 * Stores changed hours for the next `usage.updated` event of each user whose home is followed by a webhook subscription or an open page.
 */
export async function queueChangedHours(
  query: QueryFunction,
  changes: readonly { user_id: string; hour: Date }[],
): Promise<void> {
  // Raw SQL: one statement with `unnest` inserts the rows of many users.
  await query(
    `WITH changed AS MATERIALIZED (
       SELECT user_id, hour FROM unnest($1::text[], $2::timestamptz[]) c (user_id, hour) JOIN users USING (user_id))
     INSERT INTO usage_untold (user_id, hour)
     SELECT DISTINCT user_id, hour FROM changed JOIN (${usersWithUsageRecipientsSql('changed')}) told USING (user_id)
     ORDER BY 1, 2 ON CONFLICT DO NOTHING`,
    [changes.map(({ user_id }) => user_id), changes.map(({ hour }) => hour)],
  );
}

/**
 * Publishes a `usage.updated` event for each user whose usage has changed, but at most one a minute. An event contains every changed hour
 * with its current total. Several workers may run this at the same time. Returns the number of events.
 */
export async function publishUsageUpdates(pool: Pool, now: Date): Promise<number> {
  return runInTransaction(pool, async (client) => {
    const query = createQueryFunctionOnConnection(client);
    // Several workers may run this statement at the same time. For each user, only one of them gets a row, and publishes the event.
    const { rows: due } = await query<{ user_id: string }>(
      `INSERT INTO usage_told AS t (user_id, told_at)
       SELECT user_id, $1::timestamptz FROM (SELECT DISTINCT u.user_id FROM usage_untold u) u
       WHERE NOT EXISTS (SELECT FROM usage_told t WHERE t.user_id = u.user_id AND ${RECENTLY})
       ORDER BY user_id LIMIT $3
       ON CONFLICT (user_id) DO UPDATE SET told_at = excluded.told_at
       WHERE NOT (${RECENTLY})
       RETURNING user_id`,
      [now, MIN_INTERVAL_SECONDS, MAX_USERS],
    );
    if (due.length === 0) return 0;
    const { rows: taken } = await query<{ user_id: string; hour: Date }>(
      `DELETE FROM usage_untold WHERE (user_id, hour) IN (
         SELECT h.user_id, h.hour FROM unnest($1::text[]) d (user_id)
         CROSS JOIN LATERAL (SELECT user_id, hour FROM usage_untold u WHERE u.user_id = d.user_id ORDER BY hour LIMIT $2) h)
       RETURNING user_id, hour`,
      [due.map(({ user_id }) => user_id), MAX_HOURS],
    );
    // The totals are read after the hours have been deleted from the queue, so that a later change queues its hour again.
    const hours = taken.toSorted((a, b) => compare(a.user_id, b.user_id) || a.hour.getTime() - b.hour.getTime());
    const spans = hours.map(({ user_id: userId, hour }) => {
      const startMs = hour.getTime();
      return { userId, startMs, endMs: startMs + HOUR_MS };
    });
    const imports = await readImportedEnergyInRanges(query, spans);
    const rows = hours.map((one, place) => ({ ...one, milliwattHours: imports[place] as MilliwattHours }));
    const published = await withHomes(createDatabaseOnConnection(client), rows);
    const byUser = Map.groupBy(published, ({ user_id }) => user_id);
    const events = [...byUser].map(([userId, hours]): NewEvent => {
      return {
        type: 'usage.updated',
        userId,
        data: { user_id: userId, hours: hours.map(shown), updated_at: now.toISOString() },
      };
    });
    await addEvents(query, events, now);
    return events.length;
  });
}

/** Compares ids in PostgreSQL's order. */
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

interface ToldHour {
  user_id: string;
  hour: Date;
  milliwattHours: MilliwattHours | null;
}

/** The usage of some homes is not the sum of their imports. For the hours of these homes, replaces the import by the usage. */
async function withHomes(db: Database, hours: readonly ToldHour[]): Promise<ToldHour[]> {
  const dayOf = (hour: Date) => hour.toISOString().slice(0, 10);
  const used = new Map<string, MilliwattHours | null>();
  const composed = await filterUsersWithComposedHomes(db, [...new Set(hours.map(({ user_id }) => user_id))]);
  for (const userId of composed) {
    const home = await loadHome(db, userId, { isMoreAsked: false, needsConsumption: false });
    const days = new Set(hours.filter(({ user_id }) => user_id === userId).map(({ hour }) => dayOf(hour)));
    for (const day of days) {
      const found = await readHomeSumsBySubDayUnit(db, home, createDayRange(day, day, 'UTC'), 'hour');
      for (const { startsAt, ...sums } of found) used.set(`${userId} ${startsAt.getTime()}`, computeHomeUsage(sums));
    }
  }
  return hours.map((one) =>
    composed.has(one.user_id)
      ? { ...one, milliwattHours: used.get(`${one.user_id} ${one.hour.getTime()}`) ?? null }
      : one,
  );
}

/** Formats an hour (UTC) as in responses of energy-insights. Usage without data is 0. */
function shown({
  hour,
  milliwattHours,
}: {
  hour: Date;
  milliwattHours: MilliwattHours | null;
}): EventBody<'usage.updated'>['hours'][number] {
  const text = hour.toISOString();
  return {
    date: text.slice(0, 10),
    hour: `${text.slice(11, 13)}:00`,
    kwh_used: milliwattHoursToKwh(milliwattHours ?? castToMilliwattHours(0)),
  };
}
