import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DecodedReading } from '#ingest/decoders/decoder.ts';
import { createReadingBatchWriter, type IncomingMessage, type ReadingBatchWriter } from '#ingest/write/writer.ts';
import { createDatabase } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { createDevice, updateDevice } from '#src/devices/store.ts';
import { checkAllRollups } from '#src/rollups/check-all.ts';
import { LOAD_PROFILE_LEVEL, listRollupColumns, ROLLUP_LEVELS } from '#src/rollups/levels.ts';
import { createUser } from '#src/users/store.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { createTestDeviceHeadCache } from '#test/support/head-caches.ts';

/** Number of batches that two writers write concurrently (OWNER_BATCHES). */
const BATCHES = Number(process.env.OWNER_BATCHES ?? 150);
const TIMEOUT_MS = Math.max(600_000, BATCHES * 1_000);
const DEVICES = 24;
const OF_A_BATCH = 8;
const NOW_MS = Date.UTC(2026, 10, 20, 12);
const START_MS = NOW_MS - BATCHES * OF_A_BATCH * 4_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Creates a user with devices, and returns the ids of the devices. */
async function home(name: string): Promise<string[]> {
  const db = createDatabase(database.pool);
  const { user_id: userId } = await createUser(db, { email: `${name}@example.com`, role: 'homeowner' });
  const ids = Array.from({ length: DEVICES }, (_, index) => `dev_${name}_${index}`);
  for (const deviceId of ids) await createDevice(db, { userId, deviceId, type: 'smart_meter', location: 'x' });
  return ids;
}

/** Returns a random generator (mulberry32) that gives the same numbers for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

/** Returns batches of register and power readings, of which one in a hundred is late. */
function batchesOf(ids: readonly string[]): IncomingMessage[][] {
  const draw = numbers(7);
  const registers = ids.map(() => 100_000_000);
  return Array.from({ length: BATCHES }, (_, batch) =>
    Array.from({ length: OF_A_BATCH }, (_, place) => {
      const device = draw(DEVICES);
      const deviceId = ids[device] as string;
      const late = draw(100) === 0 ? 3 * 3_600_000 : 0;
      registers[device] = (registers[device] as number) + draw(40_000);
      const isPower = device % 4 === 0 && draw(3) === 0;
      const reading: DecodedReading = {
        deviceId,
        channel: isPower ? 'import/solar' : 'import',
        kind: isPower ? 'power' : 'register',
        readAtMs: START_MS + (batch * OF_A_BATCH + place) * 4_000 - late,
        intervalMs: 0,
        value: isPower ? draw(3_000_000) : (registers[device] as number),
        element: 0,
      };
      const decoded = { deviceId, readings: [reading], rejections: [] };
      return { topic: deviceId, payload: Buffer.from('{}'), receivedAtMs: NOW_MS, decoded };
    }),
  );
}

async function rowsOf(name: string): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const level of [LOAD_PROFILE_LEVEL, ...ROLLUP_LEVELS]) {
    const columns = listRollupColumns(level).filter((column) => column !== 'user_id');
    const selected = columns.map((one) => (one === 'device_id' ? `replace(device_id, $2, '') AS device_id` : one));
    const { rows } = await database.pool.query(
      `SELECT ${selected.join(', ')} FROM ${level.relation} WHERE user_id = (SELECT user_id FROM users WHERE email = $1)
         ${columns.includes('device_id') ? '' : "AND $2 <> ''"} ORDER BY ${columns.map((_, at) => at + 1).join(', ')}`,
      [`${name}@example.com`, `dev_${name}_`],
    );
    found[level.relation] = rows;
  }
  const { rows } = await database.pool.query(
    `SELECT replace(device_id, $1, '') AS device_id, channel, kind, read_at, value FROM readings JOIN series USING (series_id)
     WHERE starts_with(device_id, $1) ORDER BY 1, 2, 3, 4`,
    [`dev_${name}_`],
  );
  return { ...found, readings: rows };
}

test(
  `two workers that write the same devices, ${BATCHES} batches each, store the same rows as a single worker`,
  async () => {
    const writer = (kind: Parameters<typeof createTestDeviceHeadCache>[0]): ReadingBatchWriter =>
      createReadingBatchWriter(database.pool, { now: () => NOW_MS, memory: createTestDeviceHeadCache(kind) });
    const alone = writer('none');
    for (const batch of batchesOf(await home('one'))) await alone.write(batch);

    const queue = batchesOf(await home('two'));
    const ids = [...new Set(queue.flat().map(({ topic }) => topic))];
    const owners = [writer('all'), writer('dropped')];
    let isOver = false;
    // Meanwhile, the owner changes settings that do not affect consumption. After a deadlock, the change is repeated.
    const db = createDatabase(database.pool);
    const changing = (async () => {
      for (let turn = 0; !isOver; turn++) {
        const deviceId = ids[turn % ids.length] as string;
        await joinOrBeginTransaction(db, (trx) => updateDevice(trx, ALL_ACCOUNTS, deviceId, { location: `${turn}` }));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    await Promise.all(
      owners.map(async (owner) => {
        for (let batch = queue.shift(); batch; batch = queue.shift()) await owner.write(batch);
      }),
    );
    isOver = true;
    await changing;

    await database.settle(new Date(NOW_MS));
    expect(await rowsOf('two')).toEqual(await rowsOf('one'));
    const since = new Date(Date.UTC(2026, 0, 1));
    const { capabilities, pool } = database;
    expect((await checkAllRollups(pool, { capabilities, since, mode: 'check' })).differences).toEqual([]);
  },
  TIMEOUT_MS,
);
