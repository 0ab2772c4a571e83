import { formatOpenHour } from '#ingest/write/open-hour.ts';
import { createDatabase } from '#src/database/connect.ts';
import { ensurePartitions } from '#src/database/migrate.ts';
import { loadUsageInsights } from '#src/energy/insights.ts';
import { createDayRange } from '#src/energy/ranges.ts';
import {
  COLUMN_BY_MEASURE,
  getQuarterHourColumn,
  MEASURE_NAMES,
  type MeasureSums,
  QUARTER_HOURS_WITH_OWN_COLUMN,
} from '#src/rollups/levels.ts';
import { packHoursIntoDays } from '#src/rollups/pack.ts';
import type { BenchmarkResult } from './answer.ts';
import { computeQuantile, startBenchmarkDatabase } from './support.ts';

const USERS = 1_000;
/** Numbers of devices per home, assigned in rotation. Each device has an open hour (its latest hour, which is stored separately). */
const DEVICES = [1, 5, 40];
const QUERIES = 400;
/** Number of homes that also have quarter-hours (96 per day and device), which queries in time zones with half-hour offsets need. */
const PROFILED = 12 * DEVICES.length;
const YEAR = { start: '2025-01-01', end: '2025-12-31' };

/** SQL for the measures that have data in every hour. All other measures are empty. */
const HOUR: Partial<Record<keyof MeasureSums, string>> = {
  energyMilliwattHours: '(random() * 2e6)::bigint',
  readingCount: '4',
  coveredMs: '3600000',
};
const COLUMNS = MEASURE_NAMES.map((name) => COLUMN_BY_MEASURE[name]).join(', ');
const SUMS = MEASURE_NAMES.map((name) => `sum(${COLUMN_BY_MEASURE[name]})`).join(', ');
const ENERGY = COLUMN_BY_MEASURE.energyMilliwattHours;
const LATER_ENERGY = QUARTER_HOURS_WITH_OWN_COLUMN.map((quarter) => getQuarterHourColumn(ENERGY, quarter)).join(', ');

/** Measures p50 and p99 of queries by day, month and hour for a user with a year of data among 1,000 users, with 1, 5 and 40 devices. */
export async function runBenchmark(): Promise<BenchmarkResult> {
  const database = await startBenchmarkDatabase();
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
    await pool.query(
      `INSERT INTO users (user_id, email, role) SELECT 'usr_' || u, u || '@example.com', 'homeowner' FROM generate_series(1, $1::int) u`,
      [USERS],
    );
    await pool.query(
      `INSERT INTO devices (device_id, user_id, type, location, mqtt_secret_sha256)
       SELECT 'dev_' || u || '_' || d, 'usr_' || u, 'smart_meter', 'bench', ''
       FROM generate_series(1, $1::int) u, generate_series(1, ($2::int[])[1 + u % cardinality($2::int[])]) d`,
      [USERS, DEVICES],
    );
    await pool.query(
      `INSERT INTO device_hours (device_id, user_id, starts_at, ${COLUMNS}, ${LATER_ENERGY})
       SELECT device_id, user_id, at, ${MEASURE_NAMES.map((name) => HOUR[name] ?? '0').join(', ')}, ${QUARTER_HOURS_WITH_OWN_COLUMN.map(() => '(random() * 4e5)::bigint').join(', ')}
       FROM devices, generate_series($2::timestamptz - interval '31 days', $2::timestamptz + interval '22 hours', interval '1 hour') at
       WHERE substr(user_id, 5)::int <= $1`,
      [PROFILED, YEAR.end],
    );
    // Packs the hours of old days into one row per day, as the service does. All but three days of a queried month are then packed.
    await packHoursIntoDays(pool, new Date(`${YEAR.end}T23:00Z`), { rest: 0 });
    const quarters = MEASURE_NAMES.flatMap(() => [3, 2, 1, 0]);
    await pool.query('UPDATE device_heads SET open = $1', [
      formatOpenHour({ hour: Date.parse(`${YEAR.end}T23:00Z`) / 3_600_000, quarters }),
    ]);
    await pool.query(
      'VACUUM ANALYZE device_hours, device_days, closed_user_hourly, closed_user_daily, closed_user_monthly_by_hour, users, devices, device_heads',
    );
    const db = createDatabase(pool);
    const questions = [
      { name: 'day, 30 days', range: createDayRange('2025-12-02', '2025-12-31', 'UTC'), group: 'day' },
      { name: 'day, a year', range: createDayRange(YEAR.start, YEAR.end, 'UTC'), group: 'day' },
      { name: 'month, a year', range: createDayRange(YEAR.start, YEAR.end, 'UTC'), group: 'month' },
      {
        name: 'month, a year, Europe/Berlin',
        range: createDayRange(YEAR.start, YEAR.end, 'Europe/Berlin'),
        group: 'month',
      },
      {
        name: 'day, 30 days, Asia/Kolkata',
        range: createDayRange('2025-12-01', '2025-12-30', 'Asia/Kolkata'),
        group: 'day',
      },
      { name: 'hour, 7 days', range: createDayRange('2025-12-25', '2025-12-31', 'UTC'), group: 'hour' },
      { name: 'hour, a year', range: createDayRange(YEAR.start, YEAR.end, 'UTC'), group: 'hour' },
    ] as const;
    const results: Record<string, { p50_ms: number; p99_ms: number }> = {};
    for (const [{ name, range, group }, devices] of questions.flatMap((one) =>
      DEVICES.map((count) => [one, count] as const),
    )) {
      const times: number[] = [];
      const homes = Math.floor((range.zone === 'Asia/Kolkata' ? PROFILED : USERS) / DEVICES.length - 1);
      for (let index = 0; index < QUERIES; index++) {
        const startedAt = performance.now();
        const user = DEVICES.indexOf(devices) + DEVICES.length * (1 + ((index * 37) % homes));
        await loadUsageInsights(db, `usr_${user}`, range, group);
        if (index >= QUERIES / 10) times.push(performance.now() - startedAt);
      }
      const round = (value: number) => Math.round(value * 100) / 100;
      results[`${name}, ${devices} devices`] = {
        p50_ms: round(computeQuantile(times, 0.5)),
        p99_ms: round(computeQuantile(times, 0.99)),
      };
    }
    const lines = Object.entries(results).map(
      ([name, { p50_ms, p99_ms }]) => `${name.padEnd(44)} p50 ${p50_ms} ms   p99 ${p99_ms} ms`,
    );
    const p99s = Object.values(results).map(({ p99_ms }) => p99_ms);
    return {
      lines,
      json: { users: USERS, results },
      goals: [{ what: 'Slowest p99 of a question', measured: Math.max(...p99s), unit: ' ms', goal: { atMost: 300 } }],
    };
  } finally {
    await database.remove();
  }
}
