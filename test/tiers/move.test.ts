import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createKey } from '#src/auth/keys.ts';
import { detectCapabilities } from '#src/database/capabilities.ts';
import { createDatabase, createPool, type Pool } from '#src/database/connect.ts';
import { synchroniseRelations } from '#src/database/copy/synchronise.ts';
import { migrate } from '#src/database/migrate.ts';
import { checkAllRollups } from '#src/rollups/check-all.ts';
import { getClosedHoursRelation, PACKED_DAYS_TABLE, STORED_ROLLUP_LEVELS } from '#src/rollups/levels.ts';
import { MOVED_RELATIONS, moveInstallation } from '#src/start/move.ts';
import { eraseUser } from '#src/users/erase.ts';
import { startTestApi } from '#test/support/api.ts';
import type { TestDatabase } from '#test/support/database.ts';
import { fillInstallation, storeAnnouncements, type UserCredentials } from '#test/support/full-installation.ts';
import { createTestMeter, sumImportedMilliwattHours, type TestMeter } from '#test/support/meters.ts';
import {
  countRows,
  DEFAULT_MOVE_OPTIONS,
  findDifferingRelations,
  NO_OP_CALLBACKS,
  setUpTwoDatabases,
} from '#test/support/two-databases.ts';
import { listUncoveredRelations } from '#test/support/uncovered-relations.ts';

/** Moves an embedded installation to a database of the tested tier (kind of database server), and back. */
const DAY_MS = 86_400_000;
/** Pause in ms between two readings. Copying one relation takes longer, so readings arrive during each copy. */
const WRITE_EVERY_MS = 5;
const MOVE_PROCESS = resolve(import.meta.dirname, '../support/move-process.ts');
const two = setUpTwoDatabases();
/** True on the tier with hypertables but no continuous aggregates, where only the move of all relations is tested. */
const isWithHypertablesOnly = inject('tier') === 'apache';

/** Returns every table that a migration creates. Partitions, chunks and tables of extensions are excluded. */
async function tables(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query(
    `SELECT relname FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e') ORDER BY 1`,
  );
  return rows.map(({ relname }) => relname);
}

/** Creates three homes with forty days of register readings, including one at which the register decreased. */
async function homesOf(database: TestDatabase): Promise<TestMeter[]> {
  const now = Date.now();
  const homes: TestMeter[] = [];
  for (let index = 0; index < 3; index++) {
    const home = await createTestMeter(database);
    await home.read([...Array(40).keys()].map((day) => [new Date(now - (40 - day) * DAY_MS), 100 + day * 9]));
    await home.read([
      [new Date(now), 500],
      [new Date(now - 3_600_000), 1],
      [new Date(now + DAY_MS), 2],
    ]);
    await createKey(createDatabase(database.pool), { userId: home.userId, environment: 'live' });
    homes.push(home);
  }
  return homes;
}

/** Writes readings until the writer is stopped. Returns the accepted readings, and the errors of the readings that were not stored. */
function writing(home: TestMeter): () => Promise<{ accepted: number[]; refused: string[] }> {
  const base = Date.now();
  let over = false;
  const accepted: number[] = [];
  const refused: string[] = [];
  const done = (async () => {
    for (let index = 1; !over; index++) {
      try {
        await home.read([[new Date(base + index), 500 + index / 1_000]]);
        accepted.push(index);
      } catch (error) {
        refused.push((error as Error).message);
      }
      await new Promise((resolve) => setTimeout(resolve, WRITE_EVERY_MS));
    }
  })();
  // Stops the writer even if the test fails.
  onTestFinished(() => {
    over = true;
    return done;
  });
  return async () => {
    // The move makes the database read-only, so this writer fails.
    await expect.poll(() => refused.at(-1)).toMatch(/read-only transaction/);
    over = true;
    await done;
    return { accepted, refused };
  };
}

/**
 * Runs a move in a process that kills itself when it reports the step `at` for the `nth` time. Returns the signal that ended the process.
 */
async function moveUntil(at: string, nth = 1): Promise<string | null> {
  const child = spawn(process.execPath, [MOVE_PROCESS, two.source.url, two.target.url, at, String(nth)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('exit', (_, signal) => done(signal));
  });
}

/** Expects that the users' keys, links and sessions are valid in the new database. */
async function expectAccessWorks(database: TestDatabase, { admin, browser, code, post, gatewayId }: UserCredentials) {
  const { pool } = database;
  const api = await startTestApi({ database: { ...database, drop: async () => {} } });
  api.now = new Date();
  try {
    const before = await countRows(pool, 'users');
    const again = await api.send(post.path, { method: 'POST', key: admin.key, body: post.body, headers: post.headers });
    expect({ ...again, replayed: again.headers['idempotent-replayed'] }).toMatchObject({
      status: 201,
      json: post.answer.json,
      replayed: 'true',
    });
    expect(await countRows(pool, 'users')).toBe(before);
    expect((await api.send(`/dashboard/v1/devices?user_id=${admin.userId}`, { headers: browser })).status).toBe(200);
    expect((await api.send('/dashboard/session', { method: 'POST', body: code })).status).toBe(201);
    // New rows get higher sequence numbers than the moved rows.
    const deliveries = await countRows(pool, 'deliveries');
    const body = { email: 'next@example.com', role: 'homeowner' };
    const next = await api.send('/v1/users', { method: 'POST', key: admin.key, body });
    expect(next.status).toBe(201);
    expect(await countRows(pool, 'deliveries')).toBe(deliveries + 1);
    const last = 'SELECT user_id FROM deliveries JOIN events USING (event_id) ORDER BY place DESC LIMIT 1';
    expect((await pool.query(last)).rows).toEqual([{ user_id: next.json.user_id }]);
    await storeAnnouncements(pool, gatewayId, ['tele/a', 'tele/c']);
    const { rows } = await pool.query('SELECT topic FROM gateway_announcements WHERE gateway_id = $1 ORDER BY place', [
      gatewayId,
    ]);
    expect(rows.map(({ topic }) => topic)).toEqual(['tele/b', 'tele/a', 'tele/c']);
    const rejected = await countRows(pool, 'rejected_messages');
    const home = await createTestMeter(database);
    await home.read([
      [new Date(Date.now() - 60_000), 1],
      [new Date(Date.now() - 1_000), 1.5],
      [new Date(Date.now() + DAY_MS), 2],
    ]);
    expect(await sumImportedMilliwattHours(database, 'user_daily', home.userId)).toBe(500_000);
    expect(await countRows(pool, 'rejected_messages')).toBe(rejected + 1);
  } finally {
    await api.app.close();
  }
}

test.skipIf(isWithHypertablesOnly)('every relation is assigned to a list, and copied ones can be copied', async () => {
  const { source, target } = two;
  const copied = MOVED_RELATIONS.map(({ relation }) => relation);
  const decided = [
    ...copied,
    ...listUncoveredRelations('installation'),
    ...STORED_ROLLUP_LEVELS.map(getClosedHoursRelation),
  ];
  // If this list is not empty, add the relation to src/database/copy/relations.ts, or to test/support/uncovered-relations.ts with a reason.
  const made = new Set([...(await tables(source.pool)), ...(await tables(target.pool))]);
  expect([...made].filter((name) => !decided.includes(name))).toEqual([]);
  expect(decided.filter((name) => !made.has(name))).toEqual([]);
  expect(new Set(decided).size).toBe(decided.length);
  const { rows: keyless } = await target.pool.query(
    `SELECT relation FROM unnest($1::text[]) relation
     WHERE NOT EXISTS (SELECT FROM pg_index WHERE indrelid = relation::regclass AND indisprimary)`,
    [copied],
  );
  expect(keyless).toEqual([]);
  // Each relation is copied after the relations that it refers to.
  const { rows: references } = await target.pool.query(
    `SELECT conrelid::regclass::text AS of, confrelid::regclass::text AS to, confdeltype IN ('c', 'n') AS follows FROM pg_constraint
     WHERE contype = 'f' AND conrelid::regclass::text = ANY ($1)`,
    [copied],
  );
  expect(references.length).toBeGreaterThan(10);
  expect(references.filter(({ of, to, follows }) => copied.indexOf(to) > copied.indexOf(of) || !follows)).toEqual([]);
});

test('an installation with rows in every relation moves, and continues to work', async () => {
  const { source, target } = two;
  const inHand = await fillInstallation(source);
  // If a relation is empty, let fillInstallation (test/support/full-installation.ts) add rows to it.
  for (const one of await tables(source.pool))
    expect({ one, rows: await countRows(source.pool, one) }).not.toEqual({ one, rows: 0 });
  const report = await moveInstallation(source.url, target.url, DEFAULT_MOVE_OPTIONS, NO_OP_CALLBACKS);
  expect(report.relations.filter(({ rows }) => rows === 0)).toEqual([]);
  expect(await findDifferingRelations(source.pool, target.pool)).toEqual([]);
  // Compares the only row of the installation: its identity at a broker, and whether it may be started.
  const identity = 'SELECT * FROM installation';
  expect((await target.pool.query(identity)).rows).toEqual((await source.pool.query(identity)).rows);
  expect((await detectCapabilities(target.pool)).tier).toBe(target.tier);
  await expectAccessWorks(target, inHand);
  await expect(moveInstallation(source.url, target.url, DEFAULT_MOVE_OPTIONS, NO_OP_CALLBACKS)).rejects.toThrow(
    /was moved .* Set DATABASE_URL/,
  );
});

// On plain PostgreSQL, the move above already tests a move into an embedded database.
if (inject('tier') !== 'plain') {
  test('an installation moves from this tier into an embedded database, too', async () => {
    const { source, target } = two;
    const inHand = await fillInstallation(target);
    // Days are packed only on tiers without compression.
    const empty = target.capabilities.compression ? [PACKED_DAYS_TABLE.relation] : [];
    for (const one of await tables(target.pool))
      expect({ one, isEmpty: (await countRows(target.pool, one)) === 0 }).toEqual({
        one,
        isEmpty: empty.includes(one),
      });
    await target.settle();
    await moveInstallation(target.url, source.url, { timescale: 'off' }, NO_OP_CALLBACKS);
    expect(await findDifferingRelations(target.pool, source.pool)).toEqual([]);
    await expectAccessWorks(source, inHand);
  });
}

test.skipIf(isWithHypertablesOnly)(
  'a running installation moves with all data, including what it receives meanwhile',
  async () => {
    const { source, target } = two;
    const homes = await homesOf(source);
    const stream = homes[0] as TestMeter;
    const stop = writing(stream);
    const report = await moveInstallation(source.url, target.url, DEFAULT_MOVE_OPTIONS, NO_OP_CALLBACKS);
    const { accepted, refused } = await stop();
    expect(accepted.length).toBeGreaterThan(3);
    expect(refused.at(-1)).toMatch(/read-only transaction/);
    expect(report.relations.map(({ relation }) => relation)).toEqual(MOVED_RELATIONS.map(({ relation }) => relation));
    // Every accepted reading is in the new database, and contributes to its hour.
    for (const home of homes.slice(1))
      expect(await sumImportedMilliwattHours(target, 'user_daily', home.userId)).toBe(400_000_000);
    expect(await sumImportedMilliwattHours(target, 'user_daily', stream.userId)).toBe(
      400_000_000 + (accepted.at(-1) as number) * 1_000,
    );
    const { capabilities } = target;
    expect(
      (await checkAllRollups(target.pool, { capabilities, since: new Date(0), mode: 'check' })).differences,
    ).toEqual([]);
    // The old database answers queries, but the service refuses to start on it.
    expect(await sumImportedMilliwattHours(source, 'user_daily', homes[1]?.userId ?? '')).toBe(400_000_000);
    const fresh = createPool(source.url);
    await expect(detectCapabilities(fresh)).rejects.toThrow(/was moved .* Set DATABASE_URL/);
    await fresh.end();
  },
);

if (!isWithHypertablesOnly) {
  test('a full installation moves under load, however often the move is killed, and never starts half moved', async () => {
    const { source, target } = two;
    const inHand = await fillInstallation(source);
    const [stream, other] = await homesOf(source);
    const stop = writing(stream as TestMeter);
    const starts = async () => {
      const fresh = createPool(target.url, { max: 1 });
      return detectCapabilities(fresh).finally(() => fresh.end());
    };
    expect(await moveUntil('Copying')).toBe('SIGKILL');
    expect(await moveUntil('deliveries')).toBe('SIGKILL');
    await expect(starts()).rejects.toThrow(/is not complete\. Run that command again/);
    // Between two runs of the move, copied rows are deleted, are renumbered, or get a unique value that another row had.
    const { pool } = source;
    const { rows: pair } = await pool.query('SELECT user_id, email FROM users ORDER BY user_id LIMIT 2');
    await pool.query("UPDATE users SET email = 'between@example.com' WHERE user_id = $1", [pair[0].user_id]);
    await pool.query('UPDATE users SET email = $2 WHERE user_id = $1', [pair[1].user_id, pair[0].email]);
    await pool.query('UPDATE users SET email = $2 WHERE user_id = $1', [pair[0].user_id, pair[1].email]);
    await eraseUser(createDatabase(pool), other?.userId ?? '');
    await storeAnnouncements(pool, inHand.gatewayId, ['tele/a', 'tele/b']);
    await pool.query('UPDATE deliveries SET tries = 3, place = DEFAULT');
    await createTestMeter(source);
    expect(await moveUntil('readings')).toBe('SIGKILL');
    // The move is killed while writers are blocked, at the first relation and at the last.
    expect(await moveUntil('users', 2)).toBe('SIGKILL');
    await createTestMeter(source);
    expect(await moveUntil('device_days', 3)).toBe('SIGKILL');
    await createTestMeter(source);
    // When the move has reached this step, the old database accepts no more changes.
    expect(await moveUntil('Computing')).toBe('SIGKILL');
    await expect(starts()).rejects.toThrow(/is not complete/);
    await expect(moveInstallation(target.url, source.url, DEFAULT_MOVE_OPTIONS, NO_OP_CALLBACKS)).rejects.toThrow(
      /is not complete/,
    );
    const { accepted, refused } = await stop();
    expect(refused.at(-1)).toMatch(/read-only transaction/);
    expect(await moveUntil('-never-')).toBe(null);
    expect(await findDifferingRelations(source.pool, target.pool)).toEqual([]);
    const userId = stream?.userId ?? '';
    expect(await sumImportedMilliwattHours(target, 'user_daily', userId)).toBe(
      400_000_000 + (accepted.at(-1) as number) * 1_000,
    );
    const { capabilities } = target;
    expect(
      (await checkAllRollups(target.pool, { capabilities, since: new Date(0), mode: 'check' })).differences,
    ).toEqual([]);
    expect((await starts()).tier).toBe(target.tier);
    await expectAccessWorks(target, inHand);
  });
}

test.skipIf(isWithHypertablesOnly)(
  'rows that arrive between two relations refer only to copied ones, and a pass copies only differences',
  async () => {
    const { source, target } = two;
    await homesOf(source);
    await migrate(target.pool);
    const ends = { source: await source.pool.connect(), target: await target.pool.connect() };
    // The lock makes the pass wait before the relation api_keys.
    const holding = await source.pool.connect();
    await holding.query('BEGIN');
    await holding.query('LOCK TABLE api_keys');
    const pass = synchroniseRelations(ends, MOVED_RELATIONS, { held: false });
    const waiting =
      'SELECT FROM pg_locks JOIN pg_database d ON d.oid = database WHERE NOT granted AND datname = current_database()';
    await expect.poll(async () => (await holding.query(waiting)).rows.length).toBe(1);
    await createTestMeter(source);
    await holding.query('COMMIT');
    holding.release();
    await pass;
    expect(await countRows(target.pool, 'devices')).toBe(3);
    const sum = (results: { copied: number }[]) => results.reduce((all, { copied }) => all + copied, 0);
    // A second pass copies the rows of the account and of the device again, but no readings.
    const again = sum(await synchroniseRelations(ends, MOVED_RELATIONS, { held: false }));
    expect(again).toBeGreaterThanOrEqual(8);
    expect(again).toBeLessThan(100);
    expect(sum(await synchroniseRelations(ends, MOVED_RELATIONS, { held: false }))).toBe(0);
    ends.source.release();
    ends.target.release();
  },
);

test.skipIf(isWithHypertablesOnly)('pending late differences move, too', async () => {
  const { source, target } = two;
  const home = await createTestMeter(target);
  await home.read([
    [new Date(Date.now() - 60 * DAY_MS), 100],
    [new Date(Date.now() - 40 * DAY_MS), 200],
  ]);
  await target.settle();
  await home.read([
    [new Date(Date.now() - 50 * DAY_MS), 190],
    [new Date(), 300],
  ]);
  const report = await moveInstallation(target.url, source.url, DEFAULT_MOVE_OPTIONS, NO_OP_CALLBACKS);
  expect(report.total_milliwatt_hours).toBe('200000000');
  const { rows } = await source.pool.query(
    `SELECT sum(energy_milliwatt_hours)::bigint AS "milliwattHours" FROM user_daily WHERE day < now() - interval '51 days'`,
  );
  expect(rows[0].milliwattHours).toBeGreaterThan(70_000_000);
});
