import { createDatabase } from '#src/database/connect.ts';
import { ensurePartitions } from '#src/database/migrate.ts';
import { loadGroupHomes } from '#src/energy/group/homes.ts';
import { streamGroupInsights } from '#src/energy/group/insights.ts';
import { storeGroupSums } from '#src/energy/group/store-sums.ts';
import { loadStoredSums } from '#src/energy/group/stored-sums.ts';
import type { IncludableField } from '#src/energy/include.ts';
import type { GroupBy } from '#src/energy/insights.ts';
import { createDayRange } from '#src/energy/ranges.ts';
import { listGroupHomes } from '#src/groups/members.ts';
import type { BenchmarkResult } from './answer.ts';
import { computeQuantile, startBenchmarkDatabase } from './support.ts';

const dayOf = (date: Date) => date.toISOString().slice(0, 10);
/** Returns the first and the last day of the month `back` months ago. */
const month = (back: number) => {
  const now = new Date();
  const first = (months: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1);
  return [dayOf(new Date(first(back))), dayOf(new Date(first(back - 1) - 86_400_000))] as const;
};
/**
 * First day of the year that ends today. A query of its last month combines precomputed days with the last two days, which are never
 * precomputed.
 */
const [START] = month(11);
const END = dayOf(new Date());
const [FIRST, LAST] = month(2);
/** Time zone of the account that owns the groups. */
const ZONE = 'Europe/Berlin';
/** Number of times that each query of a group with precomputed sums is run. The queries are short, and p99 needs many of them. */
const STORED_TIMES = 100;
/**
 * One home in `SOLAR_EVERY` has solar panels. For such a home, the service reads the hours of its grid meter and its inverter individually.
 */
const SOLAR_EVERY = 10;

/** The queries to measure, and the number of times that each query is run. */
const QUESTIONS: {
  name: string;
  start: string;
  end: string;
  groupBy: GroupBy;
  zone: string;
  times: number;
  include?: IncludableField;
}[] = [
  { name: 'a day by hour', start: FIRST, end: FIRST, groupBy: 'hour', zone: 'UTC', times: 20 },
  { name: 'a month by day', start: FIRST, end: LAST, groupBy: 'day', zone: 'UTC', times: 10 },
  {
    name: 'a month by day, Berlin',
    start: FIRST,
    end: LAST,
    groupBy: 'day',
    zone: ZONE,
    times: 10,
  },
  { name: 'a year by month', start: START, end: END, groupBy: 'month', zone: 'UTC', times: 5 },
  { name: 'a year by month, Berlin', start: START, end: END, groupBy: 'month', zone: ZONE, times: 5 },
  { name: 'a year by day', start: START, end: END, groupBy: 'day', zone: 'UTC', times: 3 },
  { name: 'a year by day, Berlin', start: START, end: END, groupBy: 'day', zone: ZONE, times: 3 },
  {
    name: 'the same, and estimated',
    start: START,
    end: END,
    groupBy: 'day',
    zone: ZONE,
    times: 3,
    include: 'estimated',
  },
];

/**
 * Measures response times for three groups: 1,000 homes with one meter each, 1,000 homes of which every tenth has panels, and a parent
 * group of these two groups (`10000` sets the number of homes). `--kept` measures precomputed groups only.
 */
export async function runBenchmark(asked: readonly string[]): Promise<BenchmarkResult> {
  const homes = Number(asked.find((word) => !word.startsWith('--')) ?? 1_000);
  const database = await startBenchmarkDatabase();
  try {
    const { pool } = database;
    const db = createDatabase(pool);
    await ensurePartitions(pool, { from: new Date(START), to: new Date(END) });
    await fill(pool, homes);
    const json: Record<string, Record<string, { p50_ms: number; p99_ms: number; rows: number }>> = {};
    const lines: string[] = [];
    const ask = async (name: string, group: string, isKept: boolean) => {
      json[name] ??= {};
      for (const question of QUESTIONS.filter(({ groupBy }) => !isKept || groupBy !== 'hour')) {
        const ms: number[] = [];
        let rows = 0;
        for (let time = 0; time <= (isKept ? STORED_TIMES : question.times); time++) {
          const fromMs = performance.now();
          rows = await answered(db, group, question);
          // The first request is not measured, because the service's caches are still empty.
          if (time > 0) ms.push(performance.now() - fromMs);
        }
        const how = isKept ? 'kept' : 'added up';
        const [p50, p99] = [Math.round(computeQuantile(ms, 0.5)), Math.round(computeQuantile(ms, 0.99))];
        json[name][`${question.name}, ${how}`] = { p50_ms: p50, p99_ms: p99, rows };
        const [p50Text, p99Text] = [p50, p99].map((one) => String(one).padStart(6));
        lines.push(
          `${name.padEnd(18)} ${question.name.padEnd(24)} ${how.padEnd(8)} p50 ${p50Text}  p99 ${p99Text} ms  ${rows} rows`,
        );
        process.stderr.write(`${lines.at(-1)}\n`);
      }
    };
    const groups = Object.entries({
      'one meter each': 'grp_plain',
      'one in ten solar': 'grp_solar',
      'a tree of both': 'grp_top',
    });
    if (!process.argv.includes('--kept')) for (const [name, group] of groups) await ask(name, group, false);
    const fromMs = performance.now();
    const parts = {
      pool,
      db,
      now: new Date(),
      continuousAggregates: false,
      homesOf: listGroupHomes,
      passMs: Number.POSITIVE_INFINITY,
    };
    const sums = await storeGroupSums(parts);
    lines.push(`${sums} sums of the three kept within ${((performance.now() - fromMs) / 1_000).toFixed(1)} s`);
    for (const [name, group] of groups) await ask(name, group, true);
    const ofHomes = Object.entries(json).filter(([name]) => name !== 'a tree of both');
    const kept = ofHomes.flatMap(([, one]) =>
      Object.entries(one).flatMap(([name, { p99_ms }]) => (/^a year by month.*, kept$/.test(name) ? [p99_ms] : [])),
    );
    return {
      lines: [`${homes} homes a group`, ...lines],
      json: { homes, results: json },
      goals: [
        { what: 'Slowest p99 of a year by month', measured: Math.max(...kept), unit: ' ms', goal: { atMost: 500 } },
      ],
    };
  } finally {
    await database.remove();
  }
}

async function answered(
  db: ReturnType<typeof createDatabase>,
  groupId: string,
  { start, end, groupBy, zone, include }: (typeof QUESTIONS)[number],
) {
  let rows = 0;
  const group = await loadGroupHomes(db, await listGroupHomes(db, groupId), new Set(include ? [include] : []));
  const range = createDayRange(start, end, zone);
  const kept = await loadStoredSums(db, groupId, group, { range, groupBy });
  for await (const page of streamGroupInsights(db, group, range, groupBy, kept)) rows += page.length;
  return rows;
}

/** Adds 2 × `homes` homes with a year of hours and their precomputed hours, days and months. */
async function fill(pool: Awaited<ReturnType<typeof startBenchmarkDatabase>>['pool'], homes: number): Promise<void> {
  const MEASURES = '(random() * 8e5)::bigint, 0, (random() * 3e5)::bigint, 4, 3600000, 3600000';
  const COLUMNS =
    'energy_milliwatt_hours, estimated_milliwatt_hours, export_milliwatt_hours, reading_count, covered_ms, export_covered_ms';
  const SUMS = COLUMNS.split(', ')
    .map((column) => `sum(${column})::bigint`)
    .join(', ');
  await pool.query(
    `INSERT INTO users (user_id, email, role) SELECT 'usr_' || lpad(u::text, 6, '0'), u || '@example.com', CASE u WHEN 0 THEN 'admin' ELSE 'homeowner' END
     FROM generate_series(0, $1::int) u`,
    [2 * homes],
  );
  await pool.query(
    `INSERT INTO devices (device_id, user_id, type, location, mqtt_secret_sha256, placement)
     SELECT 'dev_' || p || user_id, user_id, 'meter', 'bench', '', p FROM (SELECT user_id, right(user_id, 6)::int AS u FROM users) users,
       unnest('{grid,production}'::text[]) p WHERE u > 0 AND (p = 'grid' OR u > $1 AND u % $2 = 0)`,
    [homes, SOLAR_EVERY],
  );
  await pool.query(
    `INSERT INTO series (device_id, channel, kind, counts_import, counts_export)
     SELECT device_id, c, 'register', c = 'import', c = 'export' FROM devices, unnest('{import,export}'::text[]) c`,
  );
  await pool.query(
    `INSERT INTO device_days (device_id, day, user_id, energy_milliwatt_hours, export_milliwatt_hours, reading_count, covered_ms, export_covered_ms)
     SELECT d.device_id, y.day, d.user_id, q.a, q.a, '{1}', '{900000}', '{900000}'
     FROM devices d JOIN devices solar ON solar.user_id = d.user_id AND solar.placement = 'production',
       generate_series($1::timestamptz, $2::timestamptz, interval '1 day') y (day),
       LATERAL (SELECT array_agg((random() * 2e5)::int) AS a FROM generate_series(1, 96) WHERE y.day IS NOT NULL) q`,
    [START, END],
  );
  for (let month = 0; month < 12; month++) {
    await pool.query(
      `INSERT INTO closed_user_hourly (user_id, hour, ${COLUMNS})
       SELECT user_id, h.hour, ${MEASURES} FROM generate_series($1::timestamptz + $2 * interval '1 month',
         $1::timestamptz + ($2 + 1) * interval '1 month' - interval '1 hour', interval '1 hour') h (hour), users WHERE role = 'homeowner' AND hour < now()`,
      [START, month],
    );
  }
  await pool.query(
    `INSERT INTO closed_user_daily (user_id, day, ${COLUMNS}) SELECT user_id, date_trunc('day', hour, 'UTC'), ${SUMS} FROM closed_user_hourly GROUP BY 1, 2`,
  );
  await pool.query(
    `INSERT INTO closed_user_monthly_by_hour (user_id, month, hour_of_day, ${COLUMNS})
     SELECT user_id, date_trunc('month', hour, 'UTC'), extract(hour FROM hour AT TIME ZONE 'UTC')::smallint, ${SUMS} FROM closed_user_hourly GROUP BY 1, 2, 3`,
  );
  await pool.query(
    `INSERT INTO home_groups (group_id, user_id, name, parent_group_id) VALUES ('grp_top', 'usr_000000', 'tree', NULL),
       ('grp_plain', 'usr_000000', 'plain', 'grp_top'), ('grp_solar', 'usr_000000', 'solar', 'grp_top')`,
  );
  await pool.query(
    `INSERT INTO group_members (group_id, user_id)
     SELECT CASE WHEN right(user_id, 6)::int <= $1 THEN 'grp_plain' ELSE 'grp_solar' END, user_id FROM users WHERE role = 'homeowner'`,
    [homes],
  );
  await pool.query('UPDATE users SET timezone = $1', [ZONE]);
  await pool.query('VACUUM ANALYZE');
}
