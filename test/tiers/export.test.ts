import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDatabase, type Pool } from '#src/database/connect.ts';
import { streamPersonArchive } from '#src/export/archive.ts';
import { AGGREGATE_FILES, EXPORTED_RELATIONS, SERIES_READINGS_FILES } from '#src/export/relations.ts';
import { findRollupLevel } from '#src/rollups/levels.ts';
import { eraseUser } from '#src/users/erase.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { fillInstallation } from '#test/support/full-installation.ts';
import { createTestMeter } from '#test/support/meters.ts';
import { listUncoveredRelations } from '#test/support/uncovered-relations.ts';
import { unzip } from '#test/support/unzip.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

/** Returns the names and columns of all relations including views. Partitions, chunks and relations of extensions are excluded. */
async function relations(pool: Pool): Promise<Map<string, string[]>> {
  const { rows } = await pool.query(
    `SELECT c.relname AS name, array_agg(a.attname::text) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm') AND NOT c.relispartition
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e') GROUP BY c.oid`,
  );
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}

const exportOf = async (userId: string) => {
  const db = createDatabase(database.pool);
  const files = await unzip(await buffer(streamPersonArchive(userId, { db, readDb: db, now: new Date() })));
  return {
    files,
    json: (name: string) => JSON.parse(String(files.get(`${name}.json`))),
    lines: (name: string) =>
      String(files.get(`${name}.csv`))
        .trimEnd()
        .split('\n'),
  };
};

test('every relation is either exported or listed with a reason', async () => {
  const made = await relations(database.pool);
  const shown = [...EXPORTED_RELATIONS, ...AGGREGATE_FILES, ...SERIES_READINGS_FILES].map(({ relation }) => relation);
  const decided = new Set([...shown, ...listUncoveredRelations('archive')]);
  // If this list is not empty, add the relation to src/export/relations.ts, or to test/support/uncovered-relations.ts with a reason.
  expect([...made.keys()].filter((name) => !decided.has(name) && !name.endsWith('_expected'))).toEqual([]);
  expect([...decided].filter((name) => !made.has(name))).toEqual([]);
});

test('an export contains every relation in which an account has rows, and no secret', async () => {
  const { admin, browser } = await fillInstallation(database);
  const { pool } = database;
  const { rows } = await pool.query('SELECT DISTINCT user_id FROM devices WHERE user_id <> $1', [admin.userId]);
  const all = await Promise.all([admin.userId, ...rows.map(({ user_id }) => user_id)].map(exportOf));
  const made = await relations(pool);
  const columns: string[] = [];
  for (const { relation, file = relation, omitted = {} } of EXPORTED_RELATIONS) {
    // If a relation is empty, let fillInstallation (test/support/full-installation.ts) add rows to it.
    const [first] = all.flatMap(({ json }) => json(file));
    expect({ file, first }).not.toEqual({ file, first: undefined });
    columns.push(`${file}: ${Object.keys(first).join(' ')}\n`);
    // If these lists differ, export the missing column, or state in src/export/relations.ts why it is omitted.
    const known = [...Object.keys(first), ...Object.keys(omitted)];
    expect({ file, columns: made.get(relation)?.sort() }).toEqual({ file, columns: known.sort() });
  }
  // A new column is exported by default. Check that a user may have it, and update this snapshot (`--update`).
  await expect(columns.join('')).toMatchFileSnapshot('exported-columns.txt');
  for (const { relation } of SERIES_READINGS_FILES)
    expect({ relation, lines: Math.max(...all.map(({ lines }) => lines(relation).length)) }).not.toEqual({
      relation,
      lines: 1,
    });
  const text = all.flatMap(({ files }) => [...files.values()].map(String)).join('\n');
  const { rows: secrets } = await pool.query(
    `SELECT key_sha256 AS secret FROM api_keys UNION ALL SELECT mqtt_secret_sha256 FROM devices UNION ALL SELECT mqtt_secret_sha256 FROM gateways
     UNION ALL SELECT secret_sha256 FROM sessions UNION ALL SELECT token_sha256 FROM sign_ins UNION ALL SELECT code_mac FROM sign_ins
     UNION ALL SELECT auth_token_sealed FROM webhooks WHERE NOT is_notice UNION ALL SELECT body_sealed FROM idempotent_answers
     UNION ALL SELECT secrets_sealed FROM series_sources`,
  );
  expect(secrets.length).toBeGreaterThan(8);
  const storedSecrets = secrets.filter(({ secret }) => secret.length > 0);
  for (const { secret } of storedSecrets)
    for (const form of ['hex', 'base64', 'base64url', 'latin1'] as const)
      expect(text.includes(secret.toString(form))).toBe(false);
  for (const secret of [
    admin.key,
    browser.cookie,
    browser['x-csrf-token'],
    'a token of the receiver',
    'a key of the source',
  ])
    expect(text).not.toContain(secret);
});

test('an export contains every row of paged relations exactly once', async () => {
  await fillInstallation(database);
  const { pool } = database;
  const { rows } = await pool.query(
    'SELECT user_id, device_id, series_id FROM devices JOIN series USING (device_id) ORDER BY series_id LIMIT 1',
  );
  const [{ user_id: userId, series_id: seriesId }] = rows;
  // Inserts more readings than fit into two pages of the export, several of them in the same millisecond.
  await pool.query(
    `INSERT INTO readings SELECT $1, date_trunc('hour', now()) - make_interval(secs => n / 4), n % 4, n FROM generate_series(1, 45000) n`,
    [seriesId],
  );
  await pool.query(
    `INSERT INTO events SELECT 'evt_' || n, 'usage.updated', $1, '{"a": "ü"}', now() FROM generate_series(1, 1200) n`,
    [userId],
  );
  const { json, lines } = await exportOf(userId);
  const count = async (text: string, values: unknown[] = [userId]) => (await pool.query(text, values)).rows[0].count;
  const readings = lines('readings').slice(1);
  expect(readings.length).toBe(
    await count(
      'SELECT count(*) FROM readings JOIN series USING (series_id) JOIN devices USING (device_id) WHERE user_id = $1',
    ),
  );
  expect(new Set(readings).size).toBe(readings.length);
  expect(lines('readings')[0]).toBe('device_id,series_id,kind,read_at,interval_ms,value');
  expect(readings[0]).toMatch(/^dev_\w+,\d+,register,\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z,\d+,\d+$/);
  const events = json('events').map(({ event_id }: { event_id: string }) => event_id);
  expect(new Set(events).size).toBe(await count('SELECT count(*) FROM events WHERE user_id = $1'));
  expect(events.length).toBe(new Set(events).size);
  for (const { relation, file } of AGGREGATE_FILES)
    expect({ file, rows: lines(file).length - 1 }).toEqual({
      file,
      rows: await count(`SELECT count(*) FROM ${relation} WHERE split_part(user_id, '/', 1) = $1`),
    });
  // The energies in the exported file add up to the stored total.
  const energy = lines('load_profile')
    .slice(1)
    .reduce((sum, one) => sum + Number(one.split(',')[3]), 0);
  expect(energy).toBe(
    await count(
      "SELECT sum(energy_milliwatt_hours)::bigint AS count FROM user_daily WHERE split_part(user_id, '/', 1) = $1",
    ),
  );
});

test('an export contains separate quantities of a device: gas, and the estimated part of its export', async () => {
  const { userId, deviceId, read } = await createTestMeter(database);
  // The increase of the silent register is distributed over three hours.
  for (const channel of ['export', 'gas'])
    await read(
      [
        ['2026-06-14T10:00:00Z', 1],
        ['2026-06-14T13:00:00Z', 4],
      ],
      new Date('2026-06-14T13:00:00Z'),
      { channel },
    );
  const { lines } = await exportOf(userId);
  const keys = (file: string) =>
    new Set(
      lines(file)
        .slice(1)
        .map((line) => line.split(',')[0]),
    );
  const meterKeys = (id: string) => new Set([id, `${id}/gas`, `${id}/estimated_export`]);
  for (const { file, relation } of AGGREGATE_FILES)
    expect({ file, keys: keys(file) }).toEqual({
      file,
      keys: meterKeys(findRollupLevel(relation).isOfDevice ? deviceId : userId),
    });
});

test('an export contains no data of other accounts, and ends if its account is erased', async () => {
  const { admin } = await fillInstallation(database);
  const db = createDatabase(database.pool);
  const others = 'SELECT email AS known FROM users WHERE user_id <> $1';
  const { rows } = await database.pool.query(others, [admin.userId]);
  expect(rows.length).toBeGreaterThan(2);
  const { files } = await exportOf(admin.userId);
  const text = [...files.values()].map(String).join('\n');
  expect(rows.filter(({ known }) => text.includes(known))).toEqual([]);
  await eraseUser(db, admin.userId);
  expect((await exportOf(admin.userId)).json('account')).toEqual([]);
});
