import { loadInsightsWithCostAndEmissions } from '#src/cost/insights.ts';
import { createDatabase, type Pool } from '#src/database/connect.ts';
import { ensurePartitions } from '#src/database/migrate.ts';
import { loadUsageInsights } from '#src/energy/insights.ts';
import { createDayRange } from '#src/energy/ranges.ts';
import { PACKED_DAYS_TABLE } from '#src/rollups/levels.ts';
import type { BenchmarkResult } from './answer.ts';
import { computeQuantile, startBenchmarkDatabase } from './support.ts';

const QUERIES = 120;
const weighted = new Set(['cost'] as const);
export const COST_RANGE_START = '2025-01-01';
export const COST_RANGE_END = '2025-12-31';
export const COST_RANGE_ZONE = 'Europe/Berlin';
const QUARTER_HOURS = `(SELECT array_agg((random() * 4e5)::int) FROM generate_series(1, 96) WHERE d.day IS NOT NULL)`;

/** Number of homes with a year of data, by type of tariff. */
const HOMES = {
  'one price': { import: { per_kwh: '0.31' } },
  'day and night': { import: { periods: [{ per_kwh: '0.35', from: '06:00', to: '22:00' }, { per_kwh: '0.22' }] } },
  'prices by the quarter-hour, in and out': {
    import: { series_id: 'prs_bench', multiply: '1.19', add: '0.15' },
    export: { series_id: 'prs_bench' },
  },
};

/** Creates a home for each type of tariff, with a grid meter, solar panels and a year of quarter-hours: `usr_1`, `usr_2`, … */
export async function createHomesWithTariffs(pool: Pool): Promise<void> {
  await ensurePartitions(pool, { from: new Date(COST_RANGE_START), to: new Date(COST_RANGE_END) });
  await pool.query(
    `INSERT INTO users (user_id, email, role, timezone) SELECT 'usr_' || u, u || '@example.com', 'homeowner', $2 FROM generate_series(1, $1::int) u`,
    [Object.keys(HOMES).length, COST_RANGE_ZONE],
  );
  await pool.query(
    `INSERT INTO devices (device_id, user_id, type, location, mqtt_secret_sha256, placement)
     SELECT 'dev_' || p || user_id, user_id, 'meter', 'bench', '', p FROM users, unnest('{grid,production}'::text[]) p`,
  );
  await pool.query(
    `INSERT INTO series (device_id, channel, kind, counts_import, counts_export)
     SELECT device_id, c, 'register', c = 'import', c = 'export' FROM devices, unnest('{import,export}'::text[]) c`,
  );
  await pool.query(
    `INSERT INTO ${PACKED_DAYS_TABLE.relation} (device_id, day, user_id, energy_milliwatt_hours, export_milliwatt_hours, reading_count, covered_ms, export_covered_ms)
     SELECT device_id, d.day, user_id, ${QUARTER_HOURS}, ${QUARTER_HOURS}, '{1}', '{900000}', '{900000}'
     FROM devices, generate_series($1::timestamptz, $2::timestamptz, interval '1 day') d (day)`,
    [COST_RANGE_START, COST_RANGE_END],
  );
  await pool.query(
    `INSERT INTO price_series (series_id, user_id, name, currency, resolution_minutes) VALUES ('prs_bench', 'usr_1', 'spot', 'EUR', 15)`,
  );
  await pool.query(
    `INSERT INTO prices (series_id, day, prices)
     SELECT 'prs_bench', d.day, (SELECT array_agg((random() * 4e8 - 5e7)::bigint) FROM generate_series(1, 96) WHERE d.day IS NOT NULL)
     FROM generate_series($1::timestamptz, $2::timestamptz, interval '1 day') d (day)`,
    [COST_RANGE_START, COST_RANGE_END],
  );
  for (const [index, terms] of Object.values(HOMES).entries()) {
    await pool.query(
      `INSERT INTO tariffs (tariff_id, user_id, name, valid_from, currency, terms) VALUES ($1, $2, 'bench', '2024-12-01', 'EUR', $3)`,
      [`trf_${index}`, `usr_${index + 1}`, JSON.stringify({ standing_per_day: '0.41', ...terms })],
    );
  }
  await pool.query('VACUUM ANALYZE');
}

/** Measures how much longer the API takes for a year of a home's data if the response includes costs. */
export async function runBenchmark(): Promise<BenchmarkResult> {
  const database = await startBenchmarkDatabase();
  try {
    const { pool } = database;
    await createHomesWithTariffs(pool);
    const db = createDatabase(pool);
    const range = createDayRange(COST_RANGE_START, COST_RANGE_END, COST_RANGE_ZONE);
    const include = new Set(['grid_import', 'grid_export'] as const);
    const results: Record<
      string,
      { without_p50_ms: number; without_p99_ms: number; more_p50_ms: number; more_p99_ms: number }
    > = {};
    const round = (value: number) => Math.round(value * 10) / 10;
    for (const [index, name] of Object.keys(HOMES).entries()) {
      const times: Record<'plain' | 'costed', number[]> = { plain: [], costed: [] };
      const timed = async (of: keyof typeof times, ask: () => Promise<unknown>) => {
        const fromMs = performance.now();
        await ask();
        times[of].push(performance.now() - fromMs);
      };
      const asked = {
        userId: `usr_${index + 1}`,
        range,
        groupBy: 'day',
        include,
        now: new Date('2026-06-01'),
      } as const;
      for (let query = 0; query < QUERIES; query++) {
        await timed('plain', () => loadUsageInsights(db, asked.userId, range, 'day', include));
        await timed('costed', () => loadInsightsWithCostAndEmissions(db, { ...asked, weighted }));
      }
      const after = (all: number[]) => all.slice(QUERIES / 10);
      const at = (share: number) =>
        [computeQuantile(after(times.plain), share), computeQuantile(after(times.costed), share)] as const;
      const [[plain50, costed50], [plain99, costed99]] = [at(0.5), at(0.99)];
      results[name] = {
        without_p50_ms: round(plain50),
        without_p99_ms: round(plain99),
        more_p50_ms: round(costed50 - plain50),
        more_p99_ms: round(costed99 - plain99),
      };
    }
    const lines = Object.entries(results).map(
      ([name, one]) =>
        `a year by day, ${name.padEnd(40)} without p50 ${one.without_p50_ms} p99 ${one.without_p99_ms} ms   cost adds p50 ${one.more_p50_ms} p99 ${one.more_p99_ms} ms`,
    );
    const more = Math.max(...Object.values(results).map(({ more_p50_ms }) => more_p50_ms));
    return {
      lines,
      json: { results },
      goals: [
        { what: 'What costs add to a year by day, p50 of the dearest tariff', measured: more, unit: ' ms', goal: null },
      ],
    };
  } finally {
    await database.remove();
  }
}
