import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import {
  LOAD_PROFILE_LEVEL,
  listRollupColumns,
  MEASURE_COLUMNS,
  ROLLUP_LEVELS,
  STORED_ROLLUP_LEVELS,
} from '#src/rollups/levels.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';

const FOUND = resolve(import.meta.dirname, '../../node_modules/.relations');

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Returns the name, the columns with their types, and the comments of every public relation, except partitions and chunks. */
async function relations(): Promise<string[]> {
  const { rows } = await database.pool.query(
    `SELECT c.relname AS relation, coalesce(obj_description(c.oid, 'pg_class'), '') AS comment,
       array_agg(format('%s %s%s', a.attname, format_type(a.atttypid, a.atttypmod),
         coalesce(' -- ' || col_description(c.oid, a.attnum), '')) ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm') AND NOT c.relispartition
       -- What the extension itself brings into the schema is not ours.
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
     GROUP BY c.oid ORDER BY 1`,
  );
  return rows.flatMap(({ relation, comment, columns }) => [
    `${relation}: ${comment}`,
    ...columns.map((column: string) => `  ${relation}.${column}`),
  ]);
}

test('relations have the same names, columns, types and comments on every tier', async () => {
  const mine = await relations();
  expect(mine.length).toBeGreaterThan(100);
  expect(mine.filter((line) => line.endsWith(': '))).toEqual([]);
  // Each tier (kind of database server) is tested in a separate process, which writes its result to a file for the others.
  mkdirSync(FOUND, { recursive: true });
  writeFileSync(join(FOUND, database.tier), JSON.stringify({ run: inject('run'), mine }));
  for (const tier of readdirSync(FOUND)) {
    const found = JSON.parse(readFileSync(join(FOUND, tier), 'utf8'));
    if (found.run === inject('run')) expect({ tier, lines: found.mine }).toEqual({ tier, lines: mine });
  }
});

test('relations of the aggregates have the declared columns, and a difference has its measures in their order', async () => {
  const columns = async (relation: string): Promise<string[]> => {
    const { rows } = await database.pool.query(
      'SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum',
      [relation],
    );
    return rows.map(({ name }) => name);
  };
  for (const level of [LOAD_PROFILE_LEVEL, ...ROLLUP_LEVELS])
    expect({ ...level, has: (await columns(level.relation)).sort() }).toEqual({
      ...level,
      has: listRollupColumns(level).sort(),
    });
  expect(await columns('interval_delta')).toEqual(['device_id', 'user_id', 'starts_at', ...MEASURE_COLUMNS]);
});

test('functions have the same names on every tier, although their bodies differ', async () => {
  const { rows } = await database.pool.query(
    `SELECT p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')' AS name FROM pg_proc p
     WHERE p.pronamespace = 'public'::regnamespace AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
     ORDER BY 1`,
  );
  const names = rows.map(({ name }) => name).sort();
  const doors = [
    'adapt_layout()',
    'apply_interval_deltas(deltas interval_delta[])',
    'compress_piece(piece text)',
    'counted_readings(of_series bigint, first_at timestamp with time zone, last_at timestamp with time zone)',
    'drop_readings(before_at timestamp with time zone)',
    'register_memory(of_series bigint, closed_at timestamp with time zone, OUT risen_at timestamp with time zone, OUT from_at timestamp with time zone)',
    'erase_consumption(whose text)',
    'fill_webhook_events()',
    'history_to_compress(before_at timestamp with time zone)',
    'hold_refresh()',
    'note_usage_changes(user_ids text[], hours timestamp with time zone[], open boolean[])',
    'new_version()',
    'note_ending()',
    'make_head()',
    'change_head()',
    'keep_audit()',
    'keep_bills()',
    'user_daily_peak_hour(whose text, since timestamp with time zone)',
    'make_room(from_at timestamp with time zone, to_at timestamp with time zone)',
    'close_open_hours(before_at timestamp with time zone, after_id text, most integer)',
    'apply_device_hours(deltas interval_delta[])',
    'pack_day(which timestamp with time zone, after_id text, most integer)',
    'unpack_days(most integer, whose text[])',
    'release_hours()',
    'drop_pieces_before(before_at timestamp with time zone)',
    'readings_pieces_before(before_at timestamp with time zone)',
    'add_request_counts(counted_in text[], plan_in text[], least_in text[], most_in text[], add_in text[])',
  ];
  const { hypertables, continuousAggregates } = database.capabilities;
  const behind = [
    ...(hypertables ? ['chunk_length(readings_per_day double precision)'] : []),
    ...(continuousAggregates
      ? [
          'fold_late_devices(which timestamp with time zone, after_id text, most integer, OUT folded bigint, OUT last text)',
          'note_folded_changes(deltas interval_delta[])',
        ]
      : STORED_ROLLUP_LEVELS.map(({ relation }) => `apply_${relation}(deltas interval_delta[])`)),
  ];
  expect(names).toEqual([...doors, ...behind].sort());
});
