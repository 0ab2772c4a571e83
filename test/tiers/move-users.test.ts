import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, inject, test } from 'vitest';
import { createIncomingMessage } from '#ingest/incoming.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { createSecretEncrypter } from '#src/core/secrets.ts';
import type { Pool } from '#src/database/connect.ts';
import { BUNDLED_RELATIONS, RELATIONS_DELETED_ON_MOVE, STREAMED_RELATIONS } from '#src/database/copy/relations.ts';
import { checkAllRollups } from '#src/rollups/check-all.ts';
import {
  getClosedHoursRelation,
  PACKED_DAYS_TABLE,
  STORED_HOURS_TABLE,
  STORED_ROLLUP_LEVELS,
} from '#src/rollups/levels.ts';
import { moveUsers } from '#src/start/users-move/move-users.ts';
import {
  createMovableAccounts,
  createMoveOptions,
  INGEST_SETTINGS,
  MOVE_SECRETS,
} from '#test/support/account-moves.ts';
import { findDifferingAccountRows, readAccountRows } from '#test/support/account-rows.ts';
import type { TestDatabase } from '#test/support/database.ts';
import { fillInstallation } from '#test/support/full-installation.ts';
import { createTestMeter, sumImportedMilliwattHours, type TestMeter } from '#test/support/meters.ts';
import { countRows, setUpTwoDatabases } from '#test/support/two-databases.ts';
import { listUncoveredRelations, RECOMPUTED_RELATIONS } from '#test/support/uncovered-relations.ts';

/** Moves accounts of an embedded installation to an installation on the tested tier (kind of database server), and back. */
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/**
 * Age in ms of the first published reading. Each second, readings for some minutes are published. Their times must not reach the present.
 */
const LAST_MS = 12 * HOUR_MS;
const MOVE_PROCESS = resolve(import.meta.dirname, '../support/move-users-process.ts');
const two = setUpTwoDatabases();
/**
 * True on the tier with hypertables but no continuous aggregates. On this tier, the lists of relations are not checked, because they are
 * the same as on plain PostgreSQL.
 */
const isWithHypertablesOnly = inject('tier') === 'apache';

/** Creates a home with forty days of register readings, some of them late or rejected. */
async function homeOf(database: TestDatabase): Promise<TestMeter> {
  const home = await createTestMeter(database);
  const now = Date.now();
  await home.read([...Array(40).keys()].map((day) => [new Date(now - (41 - day) * DAY_MS), 100 + day * 9]));
  await home.read([
    [new Date(now - 20 * DAY_MS + HOUR_MS), 100 + 21 * 9 + 1],
    [new Date(now - LAST_MS), 460],
    [new Date(now + DAY_MS), 2],
  ]);
  return home;
}

const mine = (pool: Pool, relation: string, userId: string) =>
  pool.query(`SELECT * FROM ${relation} WHERE user_id = $1`, [userId]).then(({ rows }) => rows);

async function rollupsAreRight({ pool, capabilities }: TestDatabase): Promise<void> {
  const { differences } = await checkAllRollups(pool, { capabilities, since: new Date(0), mode: 'check' });
  expect(differences).toEqual([]);
}

/** Counts the readings, and the notes on readings, whose series does not exist. */
const ofNoSeries = (pool: Pool) =>
  Promise.all(
    ['readings', 'reading_notes'].map((relation) =>
      countRows(pool, `${relation} WHERE series_id NOT IN (SELECT series_id FROM series)`),
    ),
  );

/** Moves accounts that have rows in every relation, and expects that all rows are equal afterwards. */
async function moveFull(source: TestDatabase, target: TestDatabase) {
  const inHand = await fillInstallation(source);
  const userIds = await createMovableAccounts(source, inHand);
  await homeOf(source);
  const others = await homeOf(target);
  await source.pool.query('UPDATE imports SET credentials_sealed = $1', [
    createSecretEncrypter(MOVE_SECRETS.source).seal('passwords of meters'),
  ]);
  // The two databases must assign different ids, so that the test detects an id that was not translated.
  await target.pool.query(
    "SELECT setval(pg_get_serial_sequence('series', 'series_id'), 5000), setval(pg_get_serial_sequence('deliveries', 'place'), 70)",
  );
  await source.settle();
  await target.settle();
  const before = await readAccountRows(source.pool, userIds);
  const stay = [
    await readAccountRows(source.pool, userIds, true),
    await readAccountRows(target.pool, userIds, true),
  ] as const;
  for (const { relation } of BUNDLED_RELATIONS)
    expect({ relation, rows: before.get(relation)?.length }).not.toEqual({ relation, rows: 0 });
  const report = await moveUsers(source.url, target.url, createMoveOptions(userIds));
  expect(report).toMatchObject({ users: userIds.length, moved_before: 0 });
  await target.settle();
  await source.settle();
  const after = await readAccountRows(target.pool, userIds);
  const acts = (rows: string[] = []) => rows.filter((row) => !/user\.(moved|arrived)/.test(row));
  after.set('audit_log', acts(after.get('audit_log')));
  expect(findDifferingAccountRows(before, after)).toEqual([]);
  expect(findDifferingAccountRows(stay[0], await readAccountRows(source.pool, userIds, true))).toEqual([]);
  expect(findDifferingAccountRows(stay[1], await readAccountRows(target.pool, userIds, true))).toEqual([]);
  for (const [relation, rows] of await readAccountRows(source.pool, userIds))
    expect({ relation, rows }).toEqual({ relation, rows: [] });
  expect(await countRows(source.pool, 'parcels')).toBe(0);
  for (const { pool } of [source, target]) expect(await ofNoSeries(pool)).toEqual([0, 0]);
  await rollupsAreRight(target);
  await rollupsAreRight(source);
  return { inHand, others };
}

test.skipIf(isWithHypertablesOnly)('every relation is assigned to a list', async () => {
  const { rows } = await two.target.pool.query(
    `SELECT relname, array(SELECT attname::text FROM pg_attribute a WHERE attrelid = c.oid AND attidentity <> '') AS numbers
     FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')`,
  );
  const computed = STORED_ROLLUP_LEVELS.map(getClosedHoursRelation);
  const decided = [...BUNDLED_RELATIONS, ...STREAMED_RELATIONS, STORED_HOURS_TABLE, PACKED_DAYS_TABLE]
    .map(({ relation }) => relation)
    .concat(listUncoveredRelations('account'));
  // If this list is not empty, add the relation to src/database/copy/relations.ts, or to test/support/uncovered-relations.ts with a reason.
  expect(
    rows.map(({ relname }) => relname).filter((name) => !decided.includes(name) && !computed.includes(name)),
  ).toEqual([]);
  expect(new Set(decided).size).toBe(decided.length);
  expect(decided.filter((name) => !rows.some(({ relname }) => relname === name))).toEqual([]);
  for (const { relation, number } of BUNDLED_RELATIONS)
    expect({ relation, numbers: number === undefined ? [] : [number] }).toEqual({
      relation,
      numbers: rows.find(({ relname }) => relname === relation)?.numbers,
    });
});

test.skipIf(isWithHypertablesOnly)(
  'every row that refers to accounts, or to their data, moves or is restored',
  async () => {
    const { rows } = await two.target.pool.query(
      `SELECT conrelid::regclass::text AS child, attname::text AS column, confrelid::regclass::text AS parent, confdeltype::text AS then
     FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
     WHERE contype = 'f' AND connamespace = 'public'::regnamespace ORDER BY 1, 2`,
    );
    const gone = new Set(['users']);
    for (let before = 0; gone.size > before; ) {
      before = gone.size;
      for (const { child, parent, then } of rows) if (gone.has(parent) && then === 'c') gone.add(child);
    }
    const along = BUNDLED_RELATIONS.map(({ relation }) => relation);
    // Workers compute the rows of these relations again, so they need not be restored.
    const back = [...RELATIONS_DELETED_ON_MOVE.map(({ relation }) => relation), ...RECOMPUTED_RELATIONS];
    // If this list is not empty, a move loses rows of the relation. State in src/database/copy/relations.ts that they move or are restored.
    expect([...gone].filter((relation) => !along.includes(relation) && !back.includes(relation))).toEqual([]);
    // These references never connect a moving account with one that stays.
    const within = [
      'bill_adjustments.bill_period_id',
      'bill_adjustments.told_in',
      'bill_periods.device_id',
      'bill_periods.user_id',
      'discovered_devices.device_id',
      'discovered_devices.gateway_id',
      'home_groups.parent_group_id',
      'home_groups.user_id',
      'rejected_messages.message_id',
      'users.enrolled_by',
    ];
    const references = rows.filter(({ parent }) => gone.has(parent) || along.includes(parent));
    const several = references.filter(
      ({ child, column, then }) =>
        then !== 'c' || references.some((other) => other.child === child && other.column !== column),
    );
    const across = several.map(({ child, column }) => `${child}.${column}`).filter((name) => !within.includes(name));
    // If this list is not empty, the reference may connect a moving account with one that stays, and would be lost. State in
    // src/database/copy/relations.ts how it is restored.
    expect(across.filter((name) => !back.includes(name.split('.')[0] ?? ''))).toEqual([]);
  },
);

test('accounts with rows in every relation move into a running installation, and no other account changes', async () => {
  const { source, target } = two;
  const { inHand, others } = await moveFull(source, target);
  // Secrets are encrypted with the target's key, and waiting deliveries keep their order.
  const box = createSecretEncrypter(MOVE_SECRETS.target);
  const [webhook] = await mine(target.pool, 'webhooks', inHand.admin.userId);
  expect(box.open(webhook.auth_token_sealed)).toBe('a token of the receiver');
  const { rows: imports } = await target.pool.query('SELECT credentials_sealed FROM imports');
  expect(imports.map(({ credentials_sealed: sealed }) => box.open(sealed))).toEqual(['passwords of meters']);
  const [answer] = await mine(target.pool, 'idempotent_answers', inHand.admin.userId);
  expect(JSON.parse(box.open(answer.body_sealed))).toEqual(inHand.post.answer.json);
  const { rows: waiting } = await target.pool.query(
    `SELECT delivery_id, place <= catching_up_to AS is_old FROM deliveries JOIN webhooks USING (webhook_id) WHERE webhook_id = $1 ORDER BY place`,
    [inHand.webhookId],
  );
  expect(waiting.map(({ delivery_id, is_old }) => [delivery_id, is_old])).toEqual([
    ['dlv_evt_1', true],
    ['dlv_evt_2', true],
    ['dlv_evt_3', false],
  ]);
  // The rows of a new home get other sequence numbers than the moved rows.
  await others.read([[new Date(), 461]]);
  await homeOf(target);
  await rollupsAreRight(target);
});

if (inject('tier') !== 'plain') {
  test('accounts move from this tier into an embedded installation, too', async () => {
    await moveFull(two.target, two.source);
  });
}

/** Publishes messages of devices through one worker. Each batch follows the acknowledgement of the previous one. */
function publishing(pool: Pool, homes: readonly TestMeter[]) {
  const writer = createReadingBatchWriter(pool, INGEST_SETTINGS);
  // Readings are four seconds apart. Readings for some minutes are published per second, so that hours are completed all the time.
  const base = Date.now() - LAST_MS;
  const accepted = new Map(homes.map(({ deviceId }) => [deviceId, 0]));
  let over = false;
  const done = (async () => {
    for (let index = 1; !over; index++) {
      const batch = homes.flatMap(({ deviceId }) => {
        const body = { ts: new Date(base + index * 4_000).toISOString(), energy_total_kwh: 460 + index / 1_000 };
        const topic = `energy/v1/${deviceId}/readings`;
        return (
          createIncomingMessage({
            topic,
            payload: Buffer.from(JSON.stringify(body)),
            receivedAtMs: Date.now(),
            replayed: false,
          }) ?? []
        );
      });
      await writer.write(batch);
      // Pause between batches, because the writer and the move share two processor cores.
      await new Promise((resolve) => setTimeout(resolve, 15));
      for (const { deviceId } of homes) accepted.set(deviceId, index);
    }
  })();
  return async () => {
    over = true;
    await done;
    return accepted;
  };
}

async function moveUntil(accounts: readonly string[], at: string): Promise<string | null> {
  const child = spawn(process.execPath, [MOVE_PROCESS, two.source.url, two.target.url, at, ...accounts], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('exit', (_, signal) => done(signal));
  });
}

// An interrupted move leaves the same state on each tier, so two tiers are enough.
if (!isWithHypertablesOnly) {
  test('accounts move under load, however often the move is killed, without losing a reading', async () => {
    const { source, target } = two;
    const [one, other, stays] = [await homeOf(source), await homeOf(source), await homeOf(source)];
    await homeOf(target);
    await target.settle();
    const stop = publishing(source.pool, [one, other, stays]);
    const emails = await source.pool.query('SELECT email FROM users WHERE user_id = $1', [one.userId]);
    const accounts = [emails.rows[0].email.toUpperCase(), other.userId];
    expect(await moveUntil(accounts, 'Copying while')).toBe('SIGKILL');
    expect(await moveUntil(accounts, 'device_days')).toBe('SIGKILL');
    expect(await moveUntil(accounts, 'Closing')).toBe('SIGKILL');
    // The move was killed three times, and has not changed any account yet.
    expect(await countRows(target.pool, 'users')).toBe(1);
    expect(await countRows(source.pool, 'departures')).toBe(0);
    expect(await moveUntil(accounts, 'Copying data that arrived')).toBe('SIGKILL');
    // The account is closed at the source and not yet open at the target. Messages are stored and forwarded later.
    expect(await mine(source.pool, 'users', one.userId)).toEqual([]);
    expect(await countRows(target.pool, 'users')).toBe(1);
    await expect.poll(() => countRows(source.pool, 'departed_messages')).toBeGreaterThan(0);
    expect(await moveUntil(accounts, 'device_hours')).toBe('SIGKILL');
    expect(await moveUntil(accounts, 'Opening')).toBe('SIGKILL');
    expect(await moveUntil(accounts, 'Erasing')).toBe('SIGKILL');
    expect(await countRows(target.pool, 'users')).toBe(3);
    expect(await moveUntil(accounts, 'Forwarding')).toBe('SIGKILL');
    expect(await moveUntil(accounts, '-never-')).toBe(null);
    const accepted = await stop();
    const last = await moveUsers(source.url, target.url, createMoveOptions([one.userId, other.userId]));
    expect(last).toMatchObject({ users: 0, moved_before: 2 });
    await target.settle();
    for (const [home, at] of [
      [one, target],
      [other, target],
      [stays, source],
    ] as const) {
      const count = accepted.get(home.deviceId) as number;
      expect(count).toBeGreaterThan(20);
      expect(await sumImportedMilliwattHours(at, 'user_daily', home.userId)).toBe(360_000_000 + count * 1_000);
      const { rows } = await at.pool.query(
        'SELECT count(*) AS n FROM readings JOIN series USING (series_id) WHERE device_id = $1',
        [home.deviceId],
      );
      expect(rows[0].n).toBe(42 + count);
    }
    expect(await countRows(source.pool, 'departed_messages')).toBe(0);
    expect((await readAccountRows(source.pool, [one.userId, other.userId])).get('readings by name')).toEqual([]);
    expect(await countRows(target.pool, 'arriving_series')).toBe(0);
    await rollupsAreRight(target);
    await rollupsAreRight(source);
  });
}
