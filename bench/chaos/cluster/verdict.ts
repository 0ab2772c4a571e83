import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import type { Pool } from '#src/database/connect.ts';
import { consumption, hour } from '../../../test/reference/consumption.ts';
import type { Home } from './homes.ts';
import { THRESHOLD_MILLIWATT_HOURS } from './homes.ts';
import { type Cluster, TOKEN } from './installation.ts';

/** What stands at the end, by what was acknowledged. All but the first three are to be 0. */
export interface Verdict {
  acknowledged: number;
  stored: number;
  alerts: number;
  /** Acknowledged and not stored. */
  lost: number;
  /** Stored and never published so, or rejected. */
  strange: number;
  /** Hours of homes whose energy is not the reference's. */
  wrongHours: number;
  /** Hours above the threshold of which nobody was told. */
  untold: number;
  /** Events beyond one an hour above the threshold: told twice, or without reason. */
  toldWrongly: number;
}

/** Waits until nothing is to be expected any more, and compares. `withinMs`: for how long it waits at most. */
export async function judge(cluster: Cluster, homes: readonly Home[], withinMs: number): Promise<Verdict> {
  const untilMs = Date.now() + withinMs;
  const { pool, receiver } = cluster;
  const published = new Set(homes.flatMap(({ readings }) => readings.map(lineOf)));
  const acknowledged = homes.flatMap(({ readings, publisher }) =>
    [...publisher.acknowledged.keys()].flatMap((index) => readings.slice(index, index + 1).map(lineOf)),
  );
  let stored = new Set<string>();
  const lost = () => acknowledged.filter((line) => !stored.has(line)).length;
  do stored = new Set(await storedLines(pool));
  while (lost() > 0 && Date.now() < untilMs && (await pause(500, true)));

  const expected = new Set<string>();
  let wrongHours = 0;
  for (const home of homes) {
    const hours = await hoursOf(pool, home, stored);
    const { rows } = await pool.query(
      'SELECT (extract(epoch FROM hour) * 1000)::bigint AS ms, energy_milliwatt_hours AS energy FROM user_hourly WHERE user_id = $1',
      [home.userId],
    );
    const kept = new Map(rows.map(({ ms, energy }) => [Number(ms), Number(energy)]));
    const all = new Set([...hours.keys(), ...kept.keys()]);
    wrongHours += [...all].filter((ms) => (hours.get(ms) ?? 0) !== (kept.get(ms) ?? 0)).length;
    for (const [ms, energy] of hours)
      if (energy > THRESHOLD_MILLIWATT_HOURS) expected.add(`${home.userId} ${new Date(ms).toISOString()}`);
  }
  const untold = () => [...expected].filter((period) => !toldPeriods(receiver.calls).has(period)).length;
  while (untold() > 0 && Date.now() < untilMs) await pause(250);
  // One that is told twice is told later.
  await pause(2_000);
  const told = toldPeriods(receiver.calls);
  const events = [...told.values()].reduce((sum, ids) => sum + ids.size, 0);
  const rejected = await pool.query('SELECT count(*)::int AS count FROM rejected_messages');
  return {
    acknowledged: acknowledged.length,
    stored: stored.size,
    alerts: expected.size,
    lost: lost(),
    strange: [...stored].filter((line) => !published.has(line)).length + rejected.rows[0].count,
    wrongHours,
    untold: untold(),
    toldWrongly: events - (expected.size - untold()),
  };
}

/** Of each period that was told, the events: the same one comes again where its answer was lost. */
function toldPeriods(calls: Cluster['receiver']['calls']): Map<string, Set<string>> {
  const told = new Map<string, Set<string>>();
  for (const { id, period } of calls.map(toldBy)) told.set(period, (told.get(period) ?? new Set()).add(id));
  return told;
}

/** The event of a call, and the account and hour that it tells of. */
export function toldBy({ body, headers }: Cluster['receiver']['calls'][number]): { id: string; period: string } {
  const { id, data } = JSON.parse(body) as { id: string; data: { user_id: string; period_start: string } };
  // Throws where it is not ours. It is asked of the library once a call that is looked at, within its tolerance of five minutes.
  if (Date.now() / 1_000 - Number(headers['webhook-timestamp']) < 240) new Webhook(TOKEN).verify(body, headers);
  return { id, period: `${data.user_id} ${new Date(data.period_start).toISOString()}` };
}

const lineOf = ({ deviceId, readAtMs, value }: Home['readings'][number]) => `${deviceId} ${readAtMs} ${value}`;

async function storedLines(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query(
    'SELECT device_id, (extract(epoch FROM read_at) * 1000)::bigint AS ms, value FROM readings JOIN series USING (series_id)',
  );
  return rows.map(({ device_id, ms, value }) => `${device_id} ${ms} ${value}`);
}

/** mWh of each hour of a home by the reference. */
async function hoursOf(pool: Pool, home: Home, stored: ReadonlySet<string>): Promise<Map<number, number>> {
  const { rows } = await pool.query(
    'SELECT limit_kw AS "limitKw", register_max_kwh AS "registerMaxKwh", max_gap_minutes AS "maxGapMinutes" FROM devices WHERE device_id = $1',
    [home.deviceId],
  );
  // Acknowledged or, where its acknowledgement was lost on the way, only stored.
  const readings = home.readings.filter(
    (reading, index) => home.publisher.acknowledged.has(index) || stored.has(lineOf(reading)),
  );
  return new Map([...consumption(readings, rows[0], hour)].map(([at, { energy }]) => [Number(at), Number(energy)]));
}

/**
 * Readings that were stored by a later transaction than a newer one of the same home. Within a transaction order is not to be seen, nor does it
 * matter.
 */
export async function outOfOrder(pool: Pool): Promise<number> {
  const { rows } = await pool.query(
    `WITH batches AS (SELECT series_id, readings.xmin::text::bigint AS batch, min(read_at) AS oldest, max(read_at) AS newest, array_agg(read_at) AS times
       FROM readings GROUP BY 1, 2),
     each AS (SELECT times, max(newest) OVER (PARTITION BY series_id ORDER BY batch ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM batches)
     SELECT count(*)::int AS count FROM each, unnest(times) AS time WHERE time < before`,
  );
  return rows[0].count;
}
