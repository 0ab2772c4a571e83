import { afterAll, beforeAll, expect, test } from 'vitest';
import { computeChanged } from '#ingest/write/changed-devices.ts';
import { createWriter } from '#ingest/write/writer.ts';
import { createDb } from '#src/database/connect.ts';
import { compressHistory } from '#src/database/history.ts';
import { EVERYBODY } from '#src/database/reach.ts';
import { createEdit, revokeEdit } from '#src/devices/edits/store.ts';
import { passOverRollups } from '#src/rollups/mend.ts';
import { packDays } from '#src/rollups/pack.ts';
import { type TestDatabase, testDatabase } from '#test/support/database.ts';
import { meter } from '#test/support/meters.ts';

const DAY_MS = 86_400_000;
const NOW = new Date('2026-11-20T12:00:00Z');
const at = (daysAgo: number) => new Date(NOW.getTime() - daysAgo * DAY_MS);
const EDITING = { author: 'usr_1', now: NOW, oldest: at(390) };

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

test('edits of a past that is compressed or packed are worked in, and revoked to the last row', async () => {
  const { pool, capabilities } = database;
  const db = createDb(pool);
  const home = await meter(database);
  const { deviceId } = home;
  await home.read(
    [...Array(60 * 24).keys()].map((hour) => [at(60 - hour / 24), 100 + hour + (hour === 500 ? 0.5 : 0)]),
    NOW,
  );
  await database.settle(NOW);
  // One or the other, as the jobs do.
  if (capabilities.compression) expect((await compressHistory(pool, NOW)).compressed.length).toBeGreaterThan(0);
  else await packDays(pool, NOW);
  const stored = async () => {
    await database.settle(NOW);
    const asked = [
      'SELECT r.* FROM readings r JOIN series USING (series_id) WHERE device_id = $1 ORDER BY 1, 2, 3',
      'SELECT n.* FROM reading_notes n JOIN series USING (series_id) WHERE device_id = $1 ORDER BY 1, 2, 3',
      'SELECT starts_at, energy_milliwatt_hours AS energy, estimated_milliwatt_hours AS estimated FROM device_intervals WHERE device_id = $1 ORDER BY 1',
      'SELECT day, energy_milliwatt_hours FROM user_daily WHERE user_id = (SELECT user_id FROM devices WHERE device_id = $1) ORDER BY 1',
    ];
    const [readings, notes, quarters, days] = await Promise.all(
      asked.map(async (text) => (await pool.query(text, [deviceId])).rows),
    );
    return { readings, notes, quarters, days };
  };
  const compute = () => computeChanged(pool, createWriter(pool, { now: () => NOW.getTime() }));
  const before = await stored();
  const wanted = { nativeName: 'import energy_total_kwh', reason: 'x' };
  const falsely = { ...wanted, from: at(60 - 500 / 24), to: at(60 - 501 / 24), value: null };
  const byHand = { ...wanted, from: at(20.01), to: new Date(at(20.01).getTime() + 1), value: 1_059_900_000 };
  const made = [];
  for (const edit of [falsely, byHand]) made.push(await createEdit(db, EVERYBODY, deviceId, edit, EDITING));
  expect(await compute()).toBe(1);
  const after = await stored();
  expect(after.notes).toMatchObject([{ verdict: 'excluded' }]);
  expect(after.readings).toHaveLength(60 * 24 + 1);
  // 2 kWh over two hours, estimated: half a kilowatt-hour less in the first.
  expect(after.quarters?.reduce((sum, { estimated }) => sum + estimated, 0)).toBe(2_000_000);
  expect(after.quarters).not.toEqual(before.quarters);
  const check = () => passOverRollups(pool, { capabilities, since: at(90), mode: 'check' });
  expect((await check()).differences).toEqual([]);
  for (const edit of made) await revokeEdit(db, EVERYBODY, deviceId, edit?.edit_id ?? '', EDITING);
  expect(await compute()).toBe(1);
  expect(await stored()).toEqual(before);
  expect((await check()).differences).toEqual([]);
}, 120_000);
