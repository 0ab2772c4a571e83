import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseStoredCountingStates } from '#ingest/write/head.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { createTestMeter, sumImportedMilliwattHours } from '#test/support/meters.ts';
import { closeOpenHours } from '#test/support/without-heads.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const START_MS = Date.UTC(2026, 10, 20, 10);
const at = (minutes: number) => new Date(START_MS + minutes * 60_000);
const NOW = at(120);

test("rows of the counting rules' first edition are continued, and follow the second edition around a late reading", async () => {
  const { pool } = database;
  const home = await createTestMeter(database);
  // The reading at 15 minutes is too high, but plausible. The first edition of the counting rules counted it, and treated the next reading
  // as a replaced meter.
  await home.read(
    [
      [at(0), 100],
      [at(15), 101],
      [at(30), 100.2],
      [at(45), 100.3],
      [at(60), 100.4],
    ],
    NOW,
  );
  await pool.query(
    `UPDATE device_heads SET version = new_version(), laws = jsonb_set(laws::jsonb, '{0,2}',
       jsonb_build_object('good', jsonb_build_object('readAtMs', $1::bigint, 'valueMilliwattHours', 100400000)))::text`,
    [at(60).getTime()],
  );
  await pool.query('DELETE FROM reading_notes WHERE read_at = $1', [at(15)]);
  await pool.query("UPDATE reading_notes SET verdict = 'swap' WHERE read_at = $1", [at(30)]);
  await closeOpenHours(pool);
  // Restores the energy that the first edition stored for the first two quarter-hours: 1 kWh in the first one, and 0 in the second one.
  await pool.query(
    `UPDATE device_hours SET energy_milliwatt_hours = energy_milliwatt_hours - f.energy + 1000000, reading_count = reading_count - f.count + 1,
       covered_ms = covered_ms - f.covered + 900000, energy_milliwatt_hours_2 = NULL, reading_count_2 = NULL, covered_ms_2 = NULL
     FROM (SELECT sum(energy_milliwatt_hours) AS energy, sum(reading_count) AS count, sum(covered_ms) AS covered
       FROM closed_device_intervals WHERE starts_at = ANY ($1)) f`,
    [[at(0), at(15)]],
  );
  const total = () => sumImportedMilliwattHours(database, 'device_intervals', home.userId);
  expect(await total()).toBe(1_200_000);
  await home.read([[at(75), 100.5]], NOW);
  expect(await total()).toBe(1_300_000);
  const { rows } = await pool.query('SELECT laws FROM device_heads');
  expect(parseStoredCountingStates(rows[0].laws)).toMatchObject([
    [expect.any(Number), at(75).getTime(), { run: expect.arrayContaining([100_500_000]) }],
  ]);
  await home.read([[at(20), 100.1]], NOW);
  expect(await total()).toBe(500_000);
});
