import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EmbeddedBroker } from '#ingest/source/embedded-broker.ts';
import { type DemoHomes, ensureDemoHomes } from '#simulators/demo-homes.ts';
import { meterReading } from '#simulators/devices/native-meter.ts';
import { createPlayers } from '#simulators/play.ts';
import { kwhToMilliwattHours } from '#src/core/units.ts';
import { createDb, type Database } from '#src/database/connect.ts';
import { checkDeviceLogin } from '#src/devices/credentials.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { startImportBroker } from '../support/import-broker.ts';

const QUARTER_MS = 900_000;
const HOUR_MS = 3_600_000;

let database: TestDatabase;
let db: Database;
let broker: EmbeddedBroker;

beforeAll(async () => {
  database = await testDatabase();
  db = createDb(database.pool);
  broker = await startImportBroker(database.pool, (deviceId, secret) => checkDeviceLogin(db, deviceId, secret));
});
afterAll(async () => {
  await broker.close();
  await database.drop();
});

/** One start of the demo, with two days of history, that ends after its back-fill. */
async function start(nowMs: number): Promise<{ homes: DemoHomes; sent: number }> {
  const homes = await ensureDemoHomes(db, { historyDays: 2, nowMs });
  const players = await createPlayers(`mqtt://127.0.0.1:${broker.port}`, homes.devices);
  try {
    const missing = players.missing(nowMs);
    const sent = await players.backfill(nowMs, () => {});
    expect(missing).toBe(sent);
    return { homes, sent };
  } finally {
    await players.close();
  }
}

describe('the homes of the demo', () => {
  const nowMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;

  it('get the history that is missing, and nothing twice', async () => {
    const first = await start(nowMs - 2 * HOUR_MS);
    expect(first.sent).toBeGreaterThan(6 * 2 * 24 * 4);
    const again = await start(nowMs - 2 * HOUR_MS);
    expect(again.sent).toBe(0);
    expect(again.homes.users).toEqual(first.homes.users);
    const later = await start(nowMs);
    expect(later.sent).toBe(6 * (2 * 4 + 2));
    expect((await database.pool.query('SELECT reason FROM rejected_messages')).rows).toEqual([]);
  });

  it('have used in the aggregates exactly what their meters count', async () => {
    const { homes } = await start(nowMs);
    for (const device of homes.devices.filter(({ kind }) => kind === 'smart_meter')) {
      const firstMs = Math.ceil(device.home.installedAtMs / QUARTER_MS) * QUARTER_MS;
      const shown = (atMs: number) => kwhToMilliwattHours(meterReading(device.home, atMs, false).energy_total_kwh);
      const { rows } = await database.pool.query(
        `SELECT sum(energy_mwh)::bigint AS energy_mwh FROM user_daily
         WHERE user_id = (SELECT user_id FROM devices WHERE device_id = $1)`,
        [device.deviceId],
      );
      expect(rows[0].energy_mwh).toBe(shown(nowMs) - shown(firstMs));
    }
  });

  it('log in with the secret of the last start only', async () => {
    const before = await ensureDemoHomes(db, { historyDays: 2, nowMs });
    await ensureDemoHomes(db, { historyDays: 2, nowMs });
    const [device] = before.devices;
    expect(await checkDeviceLogin(db, device?.deviceId ?? '', device?.secret ?? '')).toBe(false);
  });
});
