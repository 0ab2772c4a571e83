import { createDb } from '#src/database/connect.ts';
import { ensurePartitions } from '#src/database/partitions.ts';
import { insights } from '#src/energy/insights.ts';
import { dayRange } from '#src/energy/ranges.ts';
import { COLUMN, MEASURE_NAMES, type Sums } from '#src/rollups/levels.ts';
import type { Answer } from './answer.ts';
import { benchDatabase, quantile } from './support.ts';

const USERS = 1_000;
const QUERIES = 400;
const YEAR = { start: '2025-01-01', end: '2025-12-31' };

/** What is known of every hour; of other measures nothing. */
const HOUR: Partial<Record<keyof Sums, string>> = {
  energyMilliwattHours: '(random() * 2e6)::bigint',
  readingCount: '4',
  coveredMs: '3600000',
};
const COLUMNS = MEASURE_NAMES.map((name) => COLUMN[name]).join(', ');
const SUMS = MEASURE_NAMES.map((name) => `sum(${COLUMN[name]})`).join(', ');
const ENERGY = COLUMN.energyMilliwattHours;

/** p50 and p99 of day, month and hour queries of a user with a year of data among 1,000 users. */
export async function bench(): Promise<Answer> {
  const database = await benchDatabase();
  try {
    const { pool } = database;
    await ensurePartitions(pool, { from: new Date(YEAR.start), to: new Date(YEAR.end) });
    process.stderr.write(`a year of hours for ${USERS} users: takes a minute or two …\n`);
    await pool.query(
      `INSERT INTO closed_user_hourly (user_id, hour, ${COLUMNS})
       SELECT 'usr_' || u, h, ${MEASURE_NAMES.map((name) => HOUR[name] ?? '0').join(', ')}
       FROM generate_series(1, $1::int) u, generate_series($2::timestamptz, $3::timestamptz + interval '23 hours', interval '1 hour') h`,
      [USERS, YEAR.start, YEAR.end],
    );
    await pool.query(
      `INSERT INTO closed_user_daily (user_id, day, ${COLUMNS}, peak_hour) SELECT user_id, date_trunc('day', hour, 'UTC'), ${SUMS},
         (array_agg(hour ORDER BY ${ENERGY} DESC, hour))[1] FROM user_hourly GROUP BY 1, 2`,
    );
    await pool.query(
      `INSERT INTO closed_user_monthly_by_hour (user_id, month, hour_of_day, ${COLUMNS})
       SELECT user_id, date_trunc('month', hour, 'UTC'), extract(hour FROM hour AT TIME ZONE 'UTC')::smallint, ${SUMS}
       FROM user_hourly GROUP BY 1, 2, 3`,
    );
    await pool.query('VACUUM ANALYZE closed_user_hourly, closed_user_daily, closed_user_monthly_by_hour');
    const db = createDb(pool);
    const questions = [
      { name: 'day, 30 days', range: dayRange('2025-11-01', '2025-11-30', 'UTC'), group: 'day' },
      { name: 'day, a year', range: dayRange(YEAR.start, YEAR.end, 'UTC'), group: 'day' },
      { name: 'month, a year', range: dayRange(YEAR.start, YEAR.end, 'UTC'), group: 'month' },
      { name: 'month, a year, Europe/Berlin', range: dayRange(YEAR.start, YEAR.end, 'Europe/Berlin'), group: 'month' },
      { name: 'hour, 7 days', range: dayRange('2025-11-01', '2025-11-07', 'UTC'), group: 'hour' },
      { name: 'hour, a year', range: dayRange(YEAR.start, YEAR.end, 'UTC'), group: 'hour' },
    ] as const;
    const results: Record<string, { p50_ms: number; p99_ms: number }> = {};
    for (const { name, range, group } of questions) {
      const times: number[] = [];
      for (let index = 0; index < QUERIES; index++) {
        const startedAt = performance.now();
        await insights(db, { userId: `usr_${1 + ((index * 37) % USERS)}` }, range, group);
        if (index >= QUERIES / 10) times.push(performance.now() - startedAt);
      }
      const round = (value: number) => Math.round(value * 100) / 100;
      results[name] = { p50_ms: round(quantile(times, 0.5)), p99_ms: round(quantile(times, 0.99)) };
    }
    const lines = Object.entries(results).map(
      ([name, { p50_ms, p99_ms }]) => `${name.padEnd(30)} p50 ${p50_ms} ms   p99 ${p99_ms} ms`,
    );
    return { lines, json: { users: USERS, results } };
  } finally {
    await database.remove();
  }
}
