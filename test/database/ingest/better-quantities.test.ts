import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DecodedReading, QuantityKind } from '#ingest/decoders/decoder.ts';
import { recomputeChangedDevices } from '#ingest/write/changed-devices.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { checkAllRollups } from '#src/rollups/check-all.ts';
import { computeReferenceConsumption, getStartOfQuarterHour } from '#test/reference/consumption.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { createTestMeter } from '#test/support/meters.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const START_MS = Date.UTC(2026, 10, 17, 22);
const SETTINGS = { limitKw: 100, registerMaxKwh: null, maxGapMinutes: 15 };

/** Pairs a device. Its readings are given as minutes after the start, channel, kind, and kWh or W. Each `send` is one transaction. */
async function pair() {
  const { deviceId, userId } = await createTestMeter(database);
  const writer = createReadingBatchWriter(database.pool, { now: () => NOW_MS, pieceReadings: 3 });
  const sent: DecodedReading[] = [];
  const { pool } = database;
  return {
    deviceId,
    async send(...readings: (readonly [number, string, QuantityKind, number])[]) {
      for (const [minutes, channel, kind, value] of readings) {
        const scale = kind === 'power' ? 1_000 : 1_000_000;
        const readAtMs = START_MS + minutes * 60_000;
        const one = { deviceId, channel, kind, readAtMs, intervalMs: 0, value: Math.round(value * scale), element: 0 };
        sent.push(one);
        const decoded = { deviceId, readings: [one], rejections: [] };
        await writer.write([{ topic: '', payload: Buffer.alloc(0), receivedAtMs: NOW_MS, decoded }]);
      }
    },
    async recompute() {
      while ((await recomputeChangedDevices(pool, writer)) > 0);
    },
    async stored() {
      const { rows } = await pool.query(
        `SELECT starts_at, energy_milliwatt_hours AS energy, covered_ms AS covered FROM device_intervals
         WHERE device_id = $1 AND covered_ms > 0 ORDER BY 1`,
        [deviceId],
      );
      return rows.map((row) => [row.starts_at.getTime(), row.energy, row.covered]);
    },
    expected: () =>
      [...computeReferenceConsumption(sent, SETTINGS, getStartOfQuarterHour)]
        .filter(([, row]) => row.covered > 0n)
        .sort(([a], [b]) => Number(a - b))
        .map(([at, row]) => [Number(at), Number(row.energy), Number(row.covered)]),
    async notes() {
      const { rows } = await pool.query('SELECT note FROM quantity_changes WHERE device_id = $1', [deviceId]);
      return rows.map(({ note }) => note);
    },
    async differences() {
      const since = new Date(Date.UTC(2026, 9, 1));
      const { capabilities } = database;
      return (await checkAllRollups(pool, { capabilities, since, userId, mode: 'check' })).differences;
    },
  };
}

const minutes = (from: number, to: number) =>
  Array.from({ length: (to - from) / 10 + 1 }, (_, index) => from + 10 * index);
const powers = (from: number, to: number) => minutes(from, to).map((at) => [at, 'import', 'power', 600] as const);
const register = (channel: string, from: number, to: number, kwh = 100) =>
  minutes(from, to).map((at) => [at, channel, 'register', kwh + at / 100] as const);
const energyOf = (rows: readonly (readonly number[])[]) => rows.reduce((sum, [, energy = 0]) => sum + energy, 0);

test('a register that appears next to a power counts from its first reading on, without changing earlier energy', async () => {
  const home = await pair();
  await home.send(...powers(0, 60));
  const before = energyOf(await home.stored());
  expect(before).toBe(600_000);
  await home.send(...register('import', 61, 61), ...powers(70, 120), ...register('import', 71, 121));
  expect(await home.stored()).toEqual(home.expected());
  expect(energyOf(await home.stored())).toBe(600_000 + 600_000);
  expect(await home.notes()).toEqual([
    'a better quantity appeared: power of this channel counts as import up to 2026-11-17T23:01:00.000Z',
  ]);
  // The late reading is from half an hour earlier. From its time on, the energy comes from the register.
  await home.send([31, 'import', 'register', 100.31]);
  await home.recompute();
  expect(await home.stored()).toEqual(home.expected());
  expect(await home.differences()).toEqual([]);
});

test('a total that stays 0 next to its tariffs counts only once it is not 0', async () => {
  const home = await pair();
  const zeros = (from: number, to: number) => minutes(from, to).map((at) => [at, 'import', 'register', 0] as const);
  await home.send(...zeros(0, 60), ...register('import/t1', 0, 60), ...register('import/t2', 0, 60));
  await home.recompute();
  expect(energyOf(await home.stored())).toBe(2 * 600_000);
  expect(await home.stored()).toEqual(home.expected());
  await home.send(...register('import', 70, 120, 0), ...register('import/t1', 70, 120));
  await home.recompute();
  expect(await home.stored()).toEqual(home.expected());
  expect(energyOf(await home.stored())).toBe(2 * 600_000 + 100_000 + 500_000);
  expect(await home.differences()).toEqual([]);
});

test('an update recomputes devices whose better quantity had replaced the history of an earlier one', async () => {
  const home = await pair();
  await home.send(...powers(0, 60), ...register('import', 61, 121), ...powers(70, 120));
  const wanted = await home.stored();
  expect(wanted).toEqual(home.expected());
  // Restores the data of the previous version: only the register contributed to the total, and the power had the setting `ignored`.
  const { pool } = database;
  const channels = { 'import power_w': { counts_as: 'ignored' } };
  const settings = { limit_kw: 100, register_max_kwh: null, max_gap_minutes: 15 };
  await pool.query('UPDATE devices SET channels = $2, computed_with = $3 WHERE device_id = $1', [
    home.deviceId,
    channels,
    settings,
  ]);
  await home.recompute();
  expect(energyOf(await home.stored())).toBe(600_000);
  await pool.query(`UPDATE devices SET channels = '{}' WHERE device_id = $1`, [home.deviceId]);
  await pool.query(
    'ALTER TABLE series DROP COLUMN first_read_at, DROP COLUMN nonzero_at; ALTER TABLE users DROP COLUMN may_be_recounted',
  );
  const migration = new URL('../../../sql/schema/0064_roles_from_first_readings.sql', import.meta.url);
  await pool.query(await readFile(migration, 'utf8'));
  await home.recompute();
  expect(await home.stored()).toEqual(wanted);
  expect(await home.differences()).toEqual([]);
  const recounted =
    'SELECT home_recounted, may_be_recounted FROM users JOIN devices USING (user_id) WHERE device_id = $1';
  const { rows } = await pool.query(recounted, [home.deviceId]);
  expect(rows).toEqual([{ home_recounted: true, may_be_recounted: false }]);
});
