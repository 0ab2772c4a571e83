import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EmbeddedBroker } from '#ingest/source/embedded-broker.ts';
import { type DemoHomes, ensureDemoHomes, ensureDevice } from '#simulators/demo-homes.ts';
import { meterReading } from '#simulators/devices/native-meter.ts';
import { createPlayers } from '#simulators/play.ts';
import { kwhToMilliwattHours } from '#src/core/units.ts';
import { createDb, type Database } from '#src/database/connect.ts';
import { EVERYBODY } from '#src/database/reach.ts';
import { checkDeviceLogin } from '#src/devices/credentials.ts';
import { createDevice, deleteDevice, updateDevice } from '#src/devices/store.ts';
import { createUser } from '#src/users/store.ts';
import { type TestDatabase, testDatabase } from '#test/support/database.ts';
import { startImportBroker } from '#test/support/import-broker.ts';

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
        `SELECT sum(energy_milliwatt_hours)::bigint AS energy_milliwatt_hours FROM user_daily
         WHERE user_id = (SELECT user_id FROM devices WHERE device_id = $1)`,
        [device.deviceId],
      );
      expect(rows[0].energy_milliwatt_hours).toBe(shown(nowMs) - shown(firstMs));
    }
  });

  it('log in with the secret of the last start only', async () => {
    const before = await ensureDemoHomes(db, { historyDays: 2, nowMs });
    await ensureDemoHomes(db, { historyDays: 2, nowMs });
    const [device] = before.devices;
    expect(await checkDeviceLogin(db, device?.deviceId ?? '', device?.secret ?? '')).toBe(false);
  });

  describe('keep their own devices', () => {
    const meterOf = ({ devices }: DemoHomes) => devices[0] as DemoHomes['devices'][number];
    const ids = ({ devices }: DemoHomes) => devices.map(({ deviceId }) => deviceId);
    const ownerOf = async (deviceId: string) =>
      (await db.selectFrom('devices').select('user_id').where('device_id', '=', deviceId).executeTakeFirstOrThrow())
        .user_id;
    const annasDays = async (userId: string) =>
      (
        await database.pool.query(
          'SELECT sum(energy_milliwatt_hours)::bigint AS "milliwattHours" FROM user_daily WHERE user_id = $1',
          [userId],
        )
      ).rows[0].milliwattHours;

    it('when people change where they are, what they are and how they are read', async () => {
      const { homes } = await start(nowMs);
      const userId = await ownerOf(meterOf(homes).deviceId);
      const before = await annasDays(userId);
      const change = { location: 'Hall', type: 'electricity_meter', decoder_config: {} };
      for (const { deviceId } of homes.devices) await updateDevice(db, EVERYBODY, deviceId, change);
      const again = await start(nowMs);
      expect(ids(again.homes)).toEqual(ids(homes));
      expect(again.sent).toBe(0);
      expect(await annasDays(userId)).toBe(before);
    });

    it('and never take one that its owner paired, whatever he calls it', async () => {
      const { homes } = await start(nowMs);
      const userId = await ownerOf(meterOf(homes).deviceId);
      const own = await createDevice(db, { userId, type: 'smart_meter', location: 'Meter cupboard' });
      expect(ids((await start(nowMs)).homes)).toEqual(ids(homes));
      expect(await checkDeviceLogin(db, own.device.device_id, own.secret)).toBe(true);
    });

    it('once deleted are replaced by new ones, which do not count again what the old ones counted', async () => {
      const { homes } = await start(nowMs);
      const { deviceId } = meterOf(homes);
      const userId = await ownerOf(deviceId);
      const before = await annasDays(userId);
      await deleteDevice(db, EVERYBODY, deviceId);
      const again = await start(nowMs);
      expect(again.sent).toBe(0);
      expect(await annasDays(userId)).toBe(before);
      expect(ids(again.homes)).not.toContain(deviceId);
      expect(ids(again.homes).slice(1)).toEqual(ids(homes).slice(1));
      // A day later it goes on from where the old one ended, and is still the one.
      const later = await ensureDemoHomes(db, { historyDays: 2, nowMs: nowMs + 24 * HOUR_MS });
      expect(ids(later)).toEqual(ids(again.homes));
      expect(meterOf(later).knownUntilMs).toBe(nowMs);
    });
  });
});

describe('a simulated device of before, with an id like any other', () => {
  const history = { historyDays: 2, nowMs: Date.now() };

  it('is known by its type and location once, and then whatever they are', async () => {
    const { user_id: userId } = await createUser(db, { email: 'old@example.com', role: 'homeowner' });
    const location = 'Simulated meter cupboard';
    const { device } = await createDevice(db, { userId, type: 'smart_meter', location });
    await updateDevice(db, EVERYBODY, device.device_id, { decoder_config: { tz: 'Europe/Rome' } });
    const place = { userId, email: 'old@example.com', timezone: 'UTC', kind: 'smart_meter', location } as const;
    expect((await ensureDevice(db, place, history)).deviceId).toBe(device.device_id);
    const changed = await updateDevice(db, EVERYBODY, device.device_id, { location: 'Hall', type: 'meter' });
    expect(changed?.decoder_config).toMatchObject({ tz: 'Europe/Rome' });
    const own = await createDevice(db, { userId, type: 'smart_meter', location });
    expect((await ensureDevice(db, place, history)).deviceId).toBe(device.device_id);
    expect(await checkDeviceLogin(db, own.device.device_id, own.secret)).toBe(true);
    const { rowCount } = await database.pool.query('SELECT FROM devices WHERE user_id = $1', [userId]);
    expect(rowCount).toBe(2);
  });
});
