import { readdirSync } from 'node:fs';
import type { Pool } from '#src/database/connect.ts';
import {
  getClosedHoursRelation,
  getQuarterHourColumn,
  LOAD_PROFILE_LEVEL,
  MEASURE_COLUMNS,
  QUARTER_HOURS_WITH_OWN_COLUMN,
  ROLLUP_LEVELS,
  STORED_ROLLUP_LEVELS,
} from '#src/rollups/levels.ts';
import type { TestDatabase } from './database.ts';

const SCHEMA = new URL('../../sql/schema/', import.meta.url);
const migration = (ending: string) => `schema/${readdirSync(SCHEMA).find((name) => name.endsWith(ending))}`;
/** Path of the migration that introduced heads (the stored states of devices). */
export const HEADS_MIGRATION = migration('_heads.sql');
/** Path of the migration that replaced rows of quarter-hours by rows of hours. */
export const HOURS_MIGRATION = migration('_hours_and_days.sql');

/** Moves the energy of every open hour from the device's state into the load profile and the aggregates. */
export async function closeOpenHours(pool: Pool): Promise<void> {
  const columns = ['device_id', 'user_id', 'starts_at', ...MEASURE_COLUMNS].join(', ');
  await pool.query(
    `SELECT apply_interval_deltas(array_agg(ROW (${columns})::interval_delta)) FROM open_quarter_hours
     WHERE (${MEASURE_COLUMNS.join(', ')}) <> (${MEASURE_COLUMNS.map(() => 0).join(', ')}) HAVING count(*) > 0`,
  );
  await pool.query('UPDATE device_heads SET open = NULL, version = new_version()');
}

/** Reverts a database to the schema before the migration that stores hours: the load profile again has one row for each quarter-hour. */
export async function revertHoursMigration({ pool, capabilities }: TestDatabase): Promise<void> {
  const columns = ['device_id', 'user_id', 'starts_at', ...MEASURE_COLUMNS].join(', ');
  const hourly = `SELECT device_id, HOUR AS hour, user_id, ${MEASURE_COLUMNS.map((column) => `sum(${column})::bigint AS ${column}`).join(', ')}
    FROM closed_device_intervals GROUP BY 1, 2, 3`;
  const statements = [
    `CREATE TABLE quarter_hours AS SELECT device_id, user_id, starts_at, ${MEASURE_COLUMNS.map((column) => `sum(${column})::bigint AS ${column}`).join(', ')}
     FROM closed_device_intervals GROUP BY 1, 2, 3 HAVING sum(covered_ms) <> 0 OR sum(export_covered_ms) <> 0`,
    `DROP VIEW device_intervals, device_hourly, ${STORED_ROLLUP_LEVELS.map((level) => `${getClosedHoursRelation(level)}_expected`).reverse()}, closed_device_intervals, closed_device_hourly`,
    'DROP TABLE device_days',
    'DROP FUNCTION apply_device_hours',
    'DELETE FROM device_hours',
    ...MEASURE_COLUMNS.flatMap((column) =>
      QUARTER_HOURS_WITH_OWN_COLUMN.map(
        (quarter) => `ALTER TABLE device_hours DROP COLUMN ${getQuarterHourColumn(column, quarter)}`,
      ),
    ),
    'ALTER TABLE device_hours RENAME TO closed_device_intervals',
    `INSERT INTO closed_device_intervals (${columns}) SELECT ${columns} FROM quarter_hours`,
    'DROP TABLE quarter_hours',
    ...(capabilities.continuousAggregates
      ? [
          `CREATE MATERIALIZED VIEW closed_device_hourly WITH (timescaledb.continuous, timescaledb.materialized_only = false) AS
           ${hourly.replace('HOUR', "time_bucket('1 hour', starts_at)")} WITH NO DATA`,
        ]
      : [
          `CREATE TABLE closed_device_hourly AS ${hourly.replace('HOUR', "date_bin('1 hour', starts_at, 'epoch')")}`,
          'ALTER TABLE closed_device_hourly ADD PRIMARY KEY (device_id, hour)',
          'CREATE INDEX closed_device_hourly_user ON closed_device_hourly (user_id, hour)',
        ]),
    // Views that must exist, because a migration drops them or a function reads them.
    ...STORED_ROLLUP_LEVELS.map(
      (level) =>
        `CREATE VIEW ${getClosedHoursRelation(level)}_expected AS SELECT * FROM ${getClosedHoursRelation(level)}`,
    ),
    'CREATE VIEW closed_device_hourly_expected AS SELECT * FROM closed_device_hourly',
    'CREATE VIEW device_intervals AS SELECT * FROM closed_device_intervals',
    'CREATE VIEW device_hourly AS SELECT * FROM closed_device_hourly',
  ];
  for (const statement of statements) await pool.query(statement);
  const { rows } = await pool.query(
    `SELECT relname AS name, relkind AS kind FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relname ~ '^device_hours_(pkey|user|\\d{4}_\\d{2})$'`,
  );
  for (const { name, kind } of rows) {
    const was = name.replace('device_hours', 'closed_device_intervals');
    await pool.query(`ALTER ${/^i$/i.test(kind) ? 'INDEX' : 'TABLE'} ${name} RENAME TO ${was}`);
  }
  await pool.query('DELETE FROM schema_migrations WHERE name = $1', [HOURS_MIGRATION]);
}

/**
 * Reverts a database to the schema before heads (stored states of devices): every hour is in the load profile and the aggregates, and the
 * counting states are in `series`.
 */
export async function revertHeadsMigration(database: TestDatabase): Promise<void> {
  const { pool, capabilities } = database;
  const run = async (...statements: string[]) => {
    for (const statement of statements) await pool.query(statement);
  };
  await closeOpenHours(pool);
  await revertHoursMigration(database);
  const views = [...ROLLUP_LEVELS, LOAD_PROFILE_LEVEL].map(({ relation }) => relation);
  await run(
    'ALTER TABLE series ADD COLUMN last_read_at timestamptz, ADD COLUMN tail jsonb',
    `UPDATE series SET last_read_at = to_timestamp((entry->>1)::bigint / 1000.0), tail = nullif(entry->2, 'null')
     FROM device_heads, jsonb_array_elements(laws::jsonb) entry WHERE series_id = (entry->>0)::bigint`,
    'ALTER TABLE devices ADD COLUMN last_seen_at timestamptz',
    'DROP TRIGGER devices_change_head ON devices',
    'DROP TRIGGER devices_make_head ON devices',
    'UPDATE devices d SET last_seen_at = seen_at FROM device_heads h WHERE h.device_id = d.device_id',
    `DROP VIEW ${[...ROLLUP_LEVELS].reverse().map(({ relation }) => relation)}, ${LOAD_PROFILE_LEVEL.relation}, open_hours, open_quarter_hours`,
    `DROP VIEW ${STORED_ROLLUP_LEVELS.map((level) => `${getClosedHoursRelation(level)}_expected`).reverse()}, closed_device_hourly_expected`,
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
