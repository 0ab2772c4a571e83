import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DecodedReading } from '#ingest/decoders/decoder.ts';
import { recomputeChangedDevices } from '#ingest/write/changed-devices.ts';
import { createReadingBatchWriter, type IncomingMessage } from '#ingest/write/writer.ts';
import { createDatabase, type Database } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { updateDevice } from '#src/devices/store.ts';
import { checkAllRollups } from '#src/rollups/check-all.ts';
import { computeReferenceConsumption, getStartOfQuarterHour } from '#test/reference/consumption.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { createTestMeter } from '#test/support/meters.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = createDatabase(database.pool);
});
afterAll(() => database.drop());

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const START_MS = Date.UTC(2026, 10, 17, 22);
const SETTINGS = { limitKw: 100, registerMaxKwh: null, maxGapMinutes: 15 };

/**
 * Creates a meter that sends a tariff register whenever the register changes. A reading is given as hours since the start, tariff and kWh.
 */
async function pair() {
  const { deviceId, userId } = await createTestMeter(database);
  const writer = createReadingBatchWriter(database.pool, { now: () => NOW_MS });
  const sent: DecodedReading[] = [];
  const reading = ([hours, tariff, kwh]: readonly [number, string, number]): DecodedReading => ({
    deviceId,
    channel: `import/${tariff}`,
    kind: 'register',
    readAtMs: START_MS + hours * 3_600_000,
    intervalMs: 0,
    value: Math.round(kwh * 1e6),
    element: 0,
  });
  return {
    deviceId,
    userId,
    /** Sends these readings, each in its own transaction. */
    async send(...readings: (readonly [number, string, number])[]) {
      for (const one of readings.map(reading)) {
        sent.push(one);
        const message: IncomingMessage = {
          topic: '',
          payload: Buffer.alloc(0),
          receivedAtMs: NOW_MS,
          decoded: { deviceId, readings: [one], rejections: [] },
        };
        await writer.write([message]);
      }
    },
    async change(to: Parameters<typeof updateDevice>[3]) {
      await updateDevice(db, ALL_ACCOUNTS, deviceId, to);
      await recomputeChangedDevices(database.pool, writer);
    },
    async stored() {
      const { rows } = await database.pool.query(
        `SELECT starts_at, energy_milliwatt_hours, estimated_milliwatt_hours, covered_ms FROM device_intervals
         WHERE device_id = $1 ORDER BY 1`,
        [deviceId],
      );
      return rows.map((row) => [
        row.starts_at.getTime(),
        row.energy_milliwatt_hours,
        row.estimated_milliwatt_hours,
        row.covered_ms,
      ]);
    },
    /**
     * Returns the energy that the reference implementation computes. `named`: a function that renames the channels before the computation.
     */
    expected(named = (channel: string) => channel) {
      const all = sent.map((one) => ({ ...one, channel: named(one.channel) }));
      return [...computeReferenceConsumption(all, SETTINGS, getStartOfQuarterHour)]
        .map(([at, { energy, estimated, covered }]) => [at, energy, estimated, covered].map(Number))
        .sort(([a], [b]) => Number(a) - Number(b));
    },
  };
}

/**
 * Readings of the tariff registers in a night: hours since the start, register and kWh. The readings of the next day and evening are below.
 */
const NIGHT = [
  [0, 't2', 200],
  [0.1, 't1', 100],
  [4, 't1', 102],
  [8, 't1', 103],
] as const;
const DAY = [9, 12, 15, 18, 21].map((hours) => [hours, 't2', 200 + hours / 3] as const);
const EVENING = [
  [24, 't2', 210],
  [25, 't1', 113],
  [26, 't1', 113.5],
] as const;

test('a tariff’s energy lies after the readings of other tariffs within its step, in any order of arrival, also for tariffs that the owner has set', async () => {
  const home = await pair();
  // The day's readings arrive after the evening's readings, and out of order.
  await home.send(...NIGHT, ...EVENING, ...DAY.slice(0, 3), DAY[4] as never, DAY[3] as never);
  const stored = await home.stored();
  expect(stored).toEqual(home.expected());
  const evening = stored.find(([at]) => at === START_MS + 24.5 * 3_600_000);
  expect(evening).toEqual([START_MS + 24.5 * 3_600_000, 2_500_000, 0, 900_000]);

  const setMeanings = (...words: [string, string | null][]) =>
    home.change({
      channels: words.map(([channel, countsAs]) => ({
        native_name: `${channel} energy_total_kwh`,
        counts_as: countsAs,
      })),
    });
  // Registers of phases all run at the same time, unlike those of tariffs.
  await setMeanings(['import/t1', 'import/l1'], ['import/t2', 'import/l2']);
  expect(await home.stored()).toEqual(home.expected((channel) => channel.replace('/t', '/l')));
  await setMeanings(['import/t1', null], ['import/t2', null]);
  expect(await home.stored()).toEqual(stored);
  await setMeanings(['import/t2', 'ignored']);
  expect(await home.stored()).toEqual(home.expected((channel) => channel.replace('import/t2', 'gas')));
  await setMeanings(['import/t2', null]);
  expect(await home.stored()).toEqual(stored);
  const { rows } = await database.pool.query('SELECT tariff_since::text AS since FROM series WHERE device_id = $1', [
    home.deviceId,
  ]);
  expect(rows).toEqual([{ since: '-infinity' }, { since: '-infinity' }]);
  const { capabilities, pool } = database;
  const pass = { capabilities, since: new Date(Date.UTC(2026, 9, 1)), userId: home.userId, mode: 'check' as const };
  expect((await checkAllRollups(pool, pass)).differences).toEqual([]);
});

test('an existing installation keeps its stored history until a device is recomputed', async () => {
  const [home, phases] = [await pair(), await pair()];
  // Restores the data of the previous version, which had no tariff rule.
  for (const one of [home, phases]) {
    await one.send(...NIGHT, ...DAY, ...EVENING);
    await one.change({
      channels: ['t1', 't2'].map((tariff, index) => ({
        native_name: `import/${tariff} energy_total_kwh`,
        counts_as: `import/l${index + 1}`,
      })),
    });
  }
  await database.pool.query(`UPDATE devices SET channels = '{}' WHERE device_id = $1`, [home.deviceId]);
  await database.pool.query('ALTER TABLE series DROP COLUMN tariff_since');
  await database.pool.query(await readFile(new URL('../../../sql/schema/0024_tariffs.sql', import.meta.url), 'utf8'));
  const since = async ({ deviceId }: typeof home) => {
    const { rows } = await database.pool.query(
      'SELECT tariff_since FROM series WHERE device_id = $1 ORDER BY channel',
      [deviceId],
    );
    return rows.map(({ tariff_since: at }) => (at instanceof Date ? at.getTime() : at));
  };
  expect(await since(phases)).toEqual([null, null]);
  expect(await since(home)).toEqual([26, 24].map((hours) => START_MS + hours * 3_600_000));
  const past = await home.stored();
  const asPhases = (channel: string) => channel.replace('/t', '/l');
  expect(past).toEqual(home.expected(asPhases));
  // Energy of the next day belongs to the day tariff. A late reading must not change energy that was computed before there was a tariff
  // rule.
  await home.send([30, 't2', 211], [33, 't1', 116], [10, 't2', 203.2]);
  const after = await home.stored();
  expect(after.filter(([at]) => at < START_MS + 24 * 3_600_000)).toEqual(
    home.expected(asPhases).filter(([at]) => Number(at) < START_MS + 24 * 3_600_000),
  );
  const last = (rows: number[][]) => rows.filter(([at]) => Number(at) >= START_MS + 26 * 3_600_000);
  expect(last(after)).toEqual(last(home.expected()));
  expect(last(after)).not.toEqual(last(home.expected(asPhases)));
  // Any change of a setting causes a recomputation, even a change of a channel's meaning to an equivalent one.
  await home.change({ channels: [{ native_name: 'import/t1 energy_total_kwh', counts_as: 'import/t3' }] });
  expect(await home.stored()).toEqual(home.expected());
  expect(await since(home)).toEqual([null, null].map(() => Number.NEGATIVE_INFINITY));
});
