import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type Database } from '#src/database/connect.ts';
import { createDevice } from '#src/devices/store.ts';
import { notifyOwnersOfRecomputedTotals } from '#src/users/notify-recomputed-totals.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { createTestMeter, type TestMeter } from '#test/support/meters.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = createDatabase(database.pool);
});
afterAll(() => database.drop());

const NOW = new Date('2026-11-20T12:00:00Z');
const READINGS = [
  [new Date('2026-11-20T10:00:00Z'), 100],
  [new Date('2026-11-20T11:00:00Z'), 101],
] as const;

async function home(...others: string[]): Promise<TestMeter> {
  const made = await createTestMeter(database);
  await made.read(READINGS, NOW);
  for (const type of others) {
    const { device } = await createDevice(db, { userId: made.userId, type, location: 'x' });
    await made.read(READINGS, NOW, { deviceId: device.device_id });
  }
  return made;
}

test('an update sets placements, and notifies once the accounts whose totals it changed', async () => {
  const [alone, withPlug, withSolar] = [await home(), await home('smart_plug'), await home('solar_inverter')];
  // Restores the schema of the last version in which no device had a measured part of the home (placement).
  await database.pool.query(
    'ALTER TABLE devices DROP COLUMN placement, DROP COLUMN placement_by, DROP COLUMN upstream_device_id; ALTER TABLE users DROP COLUMN home_recounted',
  );
  await database.pool.query(
    await readFile(new URL('../../../sql/schema/0021_placements.sql', import.meta.url), 'utf8'),
  );
  const { rows: placed } = await database.pool.query(
    'SELECT user_id, type, placement, placement_by FROM devices ORDER BY user_id, placement',
  );
  const grid = { type: 'smart_meter', placement: 'grid', placement_by: 'type' };
  expect(placed).toEqual(
    [
      { user_id: alone.userId, ...grid },
      { user_id: withPlug.userId, type: 'smart_plug', placement: 'consumption', placement_by: 'type' },
      { user_id: withPlug.userId, ...grid },
      { user_id: withSolar.userId, ...grid },
      { user_id: withSolar.userId, type: 'solar_inverter', placement: 'production', placement_by: 'type' },
    ].sort((a, b) => (a.user_id < b.user_id ? -1 : a.user_id > b.user_id ? 1 : a.placement < b.placement ? -1 : 1)),
  );
  expect(await Promise.all([notifyOwnersOfRecomputedTotals(db, NOW), notifyOwnersOfRecomputedTotals(db, NOW)])).toEqual(
    expect.arrayContaining([2, 0]),
  );
  expect(await notifyOwnersOfRecomputedTotals(db, NOW)).toBe(0);
  const { rows } = await database.pool.query(
    'SELECT user_id, type, target FROM events JOIN deliveries USING (event_id) ORDER BY user_id',
  );
  expect(rows).toEqual(
    [withPlug.userId, withSolar.userId].sort().map((user_id) => ({ user_id, type: 'home.recounted', target: 'email' })),
  );
});
