import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { createKey } from '#src/auth/keys.ts';
import { askCapabilities } from '#src/database/capabilities.ts';
import { createDb, createPool, type Pool } from '#src/database/connect.ts';
import { COPIED, NOT_COPIED } from '#src/database/copy/relations.ts';
import { synchronise } from '#src/database/copy/synchronise.ts';
import { startEmbeddedPostgres } from '#src/database/embedded-postgres.ts';
import { migrate } from '#src/database/migrate.ts';
import { passOverRollups } from '#src/rollups/mend.ts';
import { move } from '#src/start/move.ts';
import { type TestDatabase, testDatabase } from '#test/support/database.ts';
import { type Meter, meter, totalMwh } from '#test/support/meters.ts';
import { temporaryFolder } from '#test/support/service.ts';

/** From an embedded installation, which is what people start with, to a database of this run's tier. */
const DAY_MS = 86_400_000;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let embedded: Awaited<ReturnType<typeof startEmbeddedPostgres>>;
let source: TestDatabase;
let target: TestDatabase;
let homes: Meter[];
const silent = { step: () => {}, progress: () => {} };

beforeEach(async () => {
  folder = await temporaryFolder();
  embedded = await startEmbeddedPostgres({ dataDir: folder.path, sharedBuffersMb: 128 });
  const pool = createPool(embedded.url);
  const { database } = await migrate(pool);
  const { tier, capabilities } = database;
  source = { tier, capabilities, pool, url: embedded.url, settle: async () => {}, drop: async () => {} };
  target = await testDatabase();
  const now = Date.now();
  homes = [];
  for (let index = 0; index < 3; index++) {
    const home = await meter(source);
    await home.read([...Array(120).keys()].map((day) => [new Date(now - (120 - day) * DAY_MS), 100 + day * 3]));
    await home.read([
      [new Date(now), 500],
      [new Date(now - 3_600_000), 1],
      [new Date(now + DAY_MS), 2],
    ]);
    await createKey(createDb(pool), { userId: home.userId, environment: 'live' });
    homes.push(home);
  }
});
afterEach(async () => {
  await source.pool.end();
  await target.drop();
  await embedded.stop();
  await folder.remove();
});

const count = async (pool: Pool, relation: string) =>
  (await pool.query(`SELECT count(*) AS n FROM ${relation}`)).rows[0].n;

test('everything that is stored is either copied or computed anew', async () => {
  const { rows } = await target.pool.query(
    `SELECT relname FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')`,
  );
  const known = [...COPIED.map(({ relation }) => relation), ...NOT_COPIED];
  expect(rows.map(({ relname }) => relname).filter((name) => !known.includes(name))).toEqual([]);
});

test('a running installation moves with everything, and what it receives meanwhile', async () => {
  const stream = homes[0] as Meter;
  const base = Date.now();
  let over = false;
  const accepted: number[] = [];
  const refused: string[] = [];
  const writing = (async () => {
    for (let index = 1; !over; index++) {
      try {
        await stream.read([[new Date(base + index), 500 + index / 1_000]]);
        accepted.push(index);
      } catch (error) {
        refused.push((error as Error).message);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  })();
  const report = await move(source.url, target.url, { timescale: 'auto' }, silent);
  await new Promise((resolve) => setTimeout(resolve, 200));
  over = true;
  await writing;
  expect(accepted.length).toBeGreaterThan(3);
  expect(refused.at(-1)).toMatch(/read-only transaction/);
  expect(report.relations.map(({ relation }) => relation)).toEqual(COPIED.map(({ relation }) => relation));
  // Every reading that was accepted is in the new database, and counted.
  for (const home of homes.slice(1)) expect(await totalMwh(target, 'user_daily', home.userId)).toBe(400_000_000);
  expect(await totalMwh(target, 'user_daily', stream.userId)).toBe(400_000_000 + (accepted.at(-1) as number) * 1_000);
  const { capabilities } = target;
  expect((await passOverRollups(target.pool, { capabilities, since: new Date(0), mode: 'check' })).differences).toEqual(
    [],
  );
  for (const relation of ['users', 'api_keys', 'devices', 'series', 'rejected_messages']) {
    expect({ relation, n: await count(target.pool, relation) }).toEqual({
      relation,
      n: await count(source.pool, relation),
    });
  }
  // The law goes on where it was, and new numbers follow the old ones.
  const { deviceId } = stream;
  const goesOn = await meter(target);
  await goesOn.read([[new Date(), 1]]);
  const { rows } = await target.pool.query('SELECT max(series_id) > 3 AS fresh FROM series WHERE device_id <> $1', [
    deviceId,
  ]);
  expect(rows[0].fresh).toBe(true);
  // The old one answers, and says what to do where a service is started on it.
  expect(await totalMwh(source, 'user_daily', homes[1]?.userId ?? '')).toBe(400_000_000);
  const fresh = createPool(source.url);
  await expect(askCapabilities(fresh)).rejects.toThrow(/was moved .* Set DATABASE_URL/);
  await fresh.end();
});

test('a move that was broken off goes on where it was', async () => {
  await migrate(target.pool);
  const half = { source: await source.pool.connect(), target: await target.pool.connect() };
  let steps = 0;
  await synchronise(half, (relation) => {
    if (relation === 'readings' && ++steps === 2) throw new Error('broken off');
  }).catch((error) => expect(error.message).toBe('broken off'));
  half.source.release(true);
  half.target.release(true);
  const before = await count(target.pool, 'readings');
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(await count(source.pool, 'readings'));
  const ends = { source: await source.pool.connect(), target: await target.pool.connect() };
  const sum = (results: { copied: number }[]) => results.reduce((all, { copied }) => all + copied, 0);
  const copied = sum(await synchronise(ends));
  expect(sum(await synchronise(ends))).toBe(0);
  ends.source.release();
  ends.target.release();
  expect(copied).toBeLessThan(
    (await count(source.pool, 'readings')) + (await count(source.pool, 'device_intervals')) + 10,
  );
  expect((await move(source.url, target.url, { timescale: 'auto' }, silent)).users).toBe(3);
});

test('moving into itself is refused, and changes nothing', async () => {
  await expect(move(source.url, source.url, { timescale: 'auto' }, silent)).rejects.toThrow(/uses already/);
  await homes[0]?.read([[new Date(), 501]]);
});

test('an installation of this tier moves back into an embedded one, what is late and not yet folded in included', async () => {
  const home = await meter(target);
  await home.read([
    [new Date(Date.now() - 60 * DAY_MS), 100],
    [new Date(Date.now() - 40 * DAY_MS), 200],
  ]);
  await target.settle();
  await home.read([
    [new Date(Date.now() - 50 * DAY_MS), 190],
    [new Date(), 300],
  ]);
  const admin = createPool(embedded.url, { max: 1 });
  await admin.query('CREATE DATABASE elsewhere');
  await admin.end();
  const url = embedded.url.replace(/\/energy(?=\?)/, '/elsewhere');
  const report = await move(target.url, url, { timescale: 'auto' }, silent);
  expect(report.total_mwh).toBe('200000000');
  const elsewhere = createPool(url, { max: 1 });
  const { rows } = await elsewhere.query(
    "SELECT sum(energy_mwh)::bigint AS mwh FROM user_daily WHERE day < now() - interval '51 days'",
  );
  expect(rows[0].mwh).toBeGreaterThan(70_000_000);
  await elsewhere.end();
});

test('a database with users of its own is refused, and nothing is copied', async () => {
  await meter(target);
  await expect(move(source.url, target.url, { timescale: 'auto' }, silent)).rejects.toThrow(/users of its own/);
  expect(await count(target.pool, 'users')).toBe(1);
  expect(inject('tier')).toBe(target.tier);
  await homes[0]?.read([[new Date(), 501]]);
});
