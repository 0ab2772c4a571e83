import { readdirSync } from 'node:fs';
import type { Pool } from '#src/database/connect.ts';
import { LEVELS, LOAD_PROFILE, MEASURE_COLUMNS, STORED_LEVELS, storedOf } from '#src/rollups/levels.ts';
import type { TestDatabase } from './database.ts';

const SCHEMA = new URL('../../sql/schema/', import.meta.url);
/** The migration that made heads. */
export const HEADS_MIGRATION = `schema/${readdirSync(SCHEMA).find((name) => name.endsWith('_heads.sql'))}`;

/** Puts every open hour into the load profile and the aggregates. */
export async function closeOpenHours(pool: Pool): Promise<void> {
  const columns = ['device_id', 'user_id', 'starts_at', ...MEASURE_COLUMNS].join(', ');
  await pool.query(
    `SELECT apply_interval_deltas(array_agg(ROW (${columns})::interval_delta)) FROM open_quarter_hours
     WHERE (${MEASURE_COLUMNS.join(', ')}) <> (${MEASURE_COLUMNS.map(() => 0).join(', ')}) HAVING count(*) > 0`,
  );
  await pool.query('UPDATE device_heads SET open = NULL, version = new_version()');
}

/**
 * Takes a database back to before heads were: every hour in the load profile and the aggregates, which have their public names,
 * and where the laws stand in `series`; as if neither that migration nor today's rollups had been applied.
 */
export async function withoutHeads({ pool, capabilities }: TestDatabase): Promise<void> {
  const run = async (...statements: string[]) => {
    for (const statement of statements) await pool.query(statement);
  };
  await closeOpenHours(pool);
  const views = [...LEVELS, LOAD_PROFILE].map(({ relation }) => relation);
  await run(
    'ALTER TABLE series ADD COLUMN last_read_at timestamptz, ADD COLUMN tail jsonb',
    `UPDATE series SET last_read_at = to_timestamp((law->>1)::bigint / 1000.0), tail = nullif(law->2, 'null')
     FROM device_heads, jsonb_array_elements(laws::jsonb) law WHERE series_id = (law->>0)::bigint`,
    'ALTER TABLE devices ADD COLUMN last_seen_at timestamptz',
    'DROP TRIGGER devices_change_head ON devices',
    'DROP TRIGGER devices_make_head ON devices',
    'UPDATE devices d SET last_seen_at = seen_at FROM device_heads h WHERE h.device_id = d.device_id',
    `DROP VIEW ${[...LEVELS].reverse().map(({ relation }) => relation)}, ${LOAD_PROFILE.relation}, open_hours, open_quarter_hours`,
    `DROP VIEW ${STORED_LEVELS.map((level) => `${storedOf(level)}_expected`).reverse()}`,
    'DROP TABLE device_heads, usage_changes',
    'DROP FUNCTION make_head, change_head, new_version, user_daily_peak_hour',
    'CREATE TABLE usage_changes (change_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, user_id text COLLATE "C" NOT NULL, hour timestamptz NOT NULL)',
    'CREATE FUNCTION note_usage_changes(deltas interval_delta[]) RETURNS void LANGUAGE sql AS $$ SELECT $$',
  );
  const { rows } = await pool.query(
    `SELECT relname AS name, substr(relname, 8) AS was, relkind AS kind FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relname ~ '^closed_(${views.join('|')})' ORDER BY relkind DESC`,
  );
  for (const { name, was, kind } of rows) {
    const isContinuous = capabilities.continuousAggregates && kind === 'v' && was !== 'user_monthly_by_hour';
    const what = isContinuous ? 'MATERIALIZED VIEW' : kind === 'v' ? 'VIEW' : /^i$/i.test(kind) ? 'INDEX' : 'TABLE';
    await run(`ALTER ${what} ${name} RENAME TO ${was}`);
  }
  await run(
    'CREATE VIEW device_hourly_expected AS SELECT device_id FROM device_intervals',
    'CREATE VIEW user_monthly AS SELECT user_id FROM user_monthly_by_hour',
  );
  await pool.query(`DELETE FROM schema_migrations WHERE name = $1 OR name LIKE 'rollups/%' OR name LIKE 'storage/%'`, [
    HEADS_MIGRATION,
  ]);
}
