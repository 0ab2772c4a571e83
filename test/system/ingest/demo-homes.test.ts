import { DateTime } from 'luxon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EmbeddedBroker } from '#ingest/source/embedded-broker.ts';
import type { DemoDevice } from '#simulators/demo-device.ts';
import { type DemoHomes, ensureDemoHomes } from '#simulators/demo-homes.ts';
import { ensureSolarDevices } from '#simulators/demo-solar.ts';
import { createDevicePublishers } from '#simulators/device-publishers.ts';
import type { MeterReading } from '#simulators/devices/native-meter.ts';
import { ensureDeviceWithNewSecret } from '#simulators/earlier-homes.ts';
import { kwhToMilliwattHours, type MilliwattHours, milliwattHoursToKwh } from '#src/core/units.ts';
import { loadCostSources } from '#src/cost/costs.ts';
import { computeTotalCost } from '#src/cost/sums.ts';
import { createDatabase, type Database } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { isDeviceLoginValid } from '#src/devices/credentials.ts';
import { readDeviceSilences } from '#src/devices/fleet/silences.ts';
import { createDevice, deleteDevice, updateDevice } from '#src/devices/store.ts';
import { loadCommodityInsights } from '#src/energy/commodity.ts';
import { createDayRange } from '#src/energy/ranges.ts';
import { listGroups } from '#src/groups/store.ts';
import { loadHomeRemarks } from '#src/remarks/home-remarks.ts';
import { ensureDemoGroups, ensureDemoSilences, ensureDemoTariffs } from '#src/start/demo-accounts.ts';
import { loadAllTariffs } from '#src/tariffs/store.ts';
import { createUser } from '#src/users/store.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { computeHomeFlows } from '#test/support/home-flows.ts';
import { startImportBroker } from '#test/support/import-broker.ts';

const QUARTER_HOUR_MS = 900_000;
const HOUR_MS = 3_600_000;

let database: TestDatabase;
let db: Database;
let broker: EmbeddedBroker;

beforeAll(async () => {
  database = await createTestDatabase();
  db = createDatabase(database.pool);
  broker = await startImportBroker(database.pool, (deviceId, secret) => isDeviceLoginValid(db, deviceId, secret));
});
afterAll(async () => {
  await broker.close();
  await database.drop();
});

/** Starts the demo with two days of history, and ends it when the history is sent. */
async function start(nowMs: number): Promise<{ homes: DemoHomes; sent: number }> {
  const homes = await ensureDemoHomes(db, { historyDays: 2, nowMs });
  const players = await createDevicePublishers(`mqtt://127.0.0.1:${broker.port}`, homes.devices);
  try {
    const missing = players.missing(nowMs);
    const sent = await players.backfill(nowMs, () => {});
    expect(missing).toBe(sent);
    return { homes, sent };
  } finally {
    await players.close();
  }
}

/** Returns the energy by which a register of a device rises between two times. */
function counted(device: DemoDevice, register: number, fromMs: number, toMs: number): MilliwattHours {
  const shown = (atMs: number) =>
    kwhToMilliwattHours((device.readings(atMs, false)[register] as MeterReading).energy_total_kwh);
  const from = shown(fromMs);
  return (shown(toMs) - from) as MilliwattHours;
}

describe('the homes of the demo', () => {
  const nowMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;

  it('pair their own devices; the utility manages one meter, also after an update from a version without managers', async () => {
    const managed = async () => {
      const { rows } = await database.pool.query(
        "SELECT email, type FROM devices JOIN users USING (user_id) WHERE managed_by = 'utility'",
      );
      return rows;
    };
    const meterOfBen = { email: 'ben@demo.example', type: 'smart_meter' };
    await ensureDemoHomes(db, { historyDays: 2, nowMs });
    expect(await managed()).toEqual([meterOfBen]);
    await database.pool.query("UPDATE devices SET managed_by = 'utility'");
    await ensureDemoHomes(db, { historyDays: 2, nowMs });
    expect(await managed()).toEqual([meterOfBen]);
  });

  it('send the missing history, and no reading twice', async () => {
    const first = await start(nowMs - 2 * HOUR_MS);
    // The demo's homes have 23 electricity registers with readings every quarter-hour. Other devices (gas, water, thermostat) send hourly.
    expect(first.sent).toBeGreaterThan(23 * 2 * 22 * 4);
    const again = await start(nowMs - 2 * HOUR_MS);
    expect(again.sent).toBe(0);
    expect(again.homes.users.map(({ userId }) => userId)).toEqual(first.homes.users.map(({ userId }) => userId));
    const later = await start(nowMs);
    expect(later.sent).toBe(23 * 2 * 4 + 3 * 2);
    expect((await database.pool.query('SELECT reason FROM rejected_messages')).rows).toEqual([]);
  });

  it('have aggregates that equal their meters’ energy exactly', async () => {
    const { homes } = await start(nowMs);
    for (const device of homes.devices.filter(({ kind }) => kind === 'meter')) {
      const firstMs = Math.ceil(device.installedAtMs / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
      const { rows } = await database.pool.query(
        'SELECT sum(energy_milliwatt_hours)::bigint AS total FROM device_hourly WHERE device_id = $1',
        [device.deviceId],
      );
      expect(rows[0].total).toBe(counted(device, 0, firstMs, nowMs));
    }
  });

  it('have energy flows equal to the registers of the first home’s meter, panels and battery', async () => {
    const { homes } = await start(nowMs);
    const [meter, inverter, battery] = homes.devices as [DemoDevice, DemoDevice, DemoDevice];
    expect([meter, inverter, battery].map(({ kind }) => kind)).toEqual(['meter', 'panels', 'battery']);
    const { rows } = await database.pool.query('SELECT placement FROM devices WHERE device_id = ANY ($1) ORDER BY 1', [
      [meter, inverter, battery].map(({ deviceId }) => deviceId),
    ]);
    expect(rows.map(({ placement }) => placement)).toEqual(['grid', 'production', 'storage']);
    const day = DateTime.fromMillis(nowMs, { zone: 'Europe/Berlin' }).minus({ days: 1 }).toISODate() ?? '';
    const range = createDayRange(day, day, 'Europe/Berlin');
    const [flows] = await computeHomeFlows(db, homes.users[0]?.userId ?? '', [range], new Date(nowMs));
    const drawn = (device: DemoDevice, register: number) =>
      milliwattHoursToKwh(counted(device, register, range.from.getTime(), range.to.getTime()));
    expect(flows).toMatchObject({
      grid_import_kwh: drawn(meter, 0),
      grid_export_kwh: drawn(meter, 1),
      production_kwh: drawn(inverter, 0),
      charged_kwh: drawn(battery, 0),
      discharged_kwh: drawn(battery, 1),
      coverage: 1,
      complete: true,
    });
    expect(flows?.production_kwh).toBeGreaterThan(0);
  });

  it('can log in only with the secret of the last start', async () => {
    const before = await ensureDemoHomes(db, { historyDays: 2, nowMs });
    await ensureDemoHomes(db, { historyDays: 2, nowMs });
    const [device] = before.devices;
    expect(await isDeviceLoginValid(db, device?.deviceId ?? '', device?.secret ?? '')).toBe(false);
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

    it('if people changed their location, type or decoder settings', async () => {
      const { homes } = await start(nowMs);
      const userId = await ownerOf(meterOf(homes).deviceId);
      const before = await annasDays(userId);
      const change = { location: 'Hall', type: 'electricity_meter', decoder_config: {} };
      for (const { deviceId } of homes.devices) await updateDevice(db, ALL_ACCOUNTS, deviceId, change);
      const again = await start(nowMs);
      expect(ids(again.homes)).toEqual(ids(homes));
      expect(again.sent).toBe(0);
      expect(await annasDays(userId)).toBe(before);
    });

    it('and use no device that its owner paired, whatever its name', async () => {
      const { homes } = await start(nowMs);
      const userId = await ownerOf(meterOf(homes).deviceId);
      const own = await createDevice(db, { userId, type: 'smart_meter', location: 'Meter cupboard' });
      expect(ids((await start(nowMs)).homes)).toEqual(ids(homes));
      expect(await isDeviceLoginValid(db, own.device.device_id, own.secret)).toBe(true);
    });

    it('replace deleted devices by new ones, which do not count the same energy again', async () => {
      const { homes } = await start(nowMs);
      const { deviceId } = meterOf(homes);
      const userId = await ownerOf(deviceId);
      const before = await annasDays(userId);
      await deleteDevice(db, ALL_ACCOUNTS, deviceId);
      const again = await start(nowMs);
      expect(again.sent).toBe(0);
      expect(await annasDays(userId)).toBe(before);
      expect(ids(again.homes)).not.toContain(deviceId);
      expect(ids(again.homes).slice(1)).toEqual(ids(homes).slice(1));
      // A day later, the demo continues the replacement device, and does not replace it again.
      const later = await ensureDemoHomes(db, { historyDays: 2, nowMs: nowMs + 24 * HOUR_MS });
      expect(ids(later)).toEqual(ids(again.homes));
      expect(meterOf(later).knownUntilMs).toBe(nowMs);
    });
  });
});

describe('the demo shows', () => {
  const HISTORY_DAYS = 60;
  const nowMs = Math.floor(Date.now() / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
  let own: TestDatabase;
  let ownDb: Database;
  let ownBroker: EmbeddedBroker;
  let homes: DemoHomes;
  beforeAll(async () => {
    own = await createTestDatabase();
    ownDb = createDatabase(own.pool);
    ownBroker = await startImportBroker(own.pool, (login, secret) => isDeviceLoginValid(ownDb, login, secret));
    homes = await ensureDemoHomes(ownDb, { historyDays: HISTORY_DAYS, nowMs });
    await ensureDemoTariffs(ownDb, homes, new Date(nowMs));
    await ensureDemoSilences(ownDb, homes, new Date(nowMs));
    const players = await createDevicePublishers(`mqtt://127.0.0.1:${ownBroker.port}`, homes.devices);
    await players.backfill(nowMs, () => {});
    await players.close();
  });
  afterAll(async () => {
    await ownBroker.close();
    await own.drop();
  });
  const home = (name: string) => homes.users.find(({ email }) => email.startsWith(name)) ?? expect.fail(name);
  const remarksIn = (name: string) => {
    const { userId, timezone: zone } = home(name);
    return loadHomeRemarks(ownDb, { userId, zone, now: new Date(nowMs) });
  };
  const devicesOf = async (name: string) =>
    (
      await own.pool.query('SELECT type, location, placement FROM devices WHERE user_id = $1 ORDER BY device_id', [
        home(name).userId,
      ])
    ).rows.map(({ type, location, placement }) => `${location}: ${type}, ${placement}`);

  it('Anna: panels, battery, heat pump, car and five plugs, whose energies are part of what she used', async () => {
    expect((await devicesOf('anna')).toSorted()).toEqual([
      'Car: ev_charger, consumption',
      'Dishwasher: smart_plug, consumption',
      'Fridge: smart_plug, consumption',
      'Heat pump: heat_pump, consumption',
      'Home battery: battery, storage',
      'Meter cupboard: smart_meter, grid',
      'Roof: solar_inverter, production',
      'TV: smart_plug, consumption',
      'Tumble dryer: smart_plug, consumption',
      'Washing machine: smart_plug, consumption',
    ]);
    const { userId, timezone, usedKwh } = home('anna');
    const day = (daysAgo: number) =>
      DateTime.fromMillis(nowMs, { zone: timezone }).minus({ days: daysAgo }).toISODate() ?? '';
    const range = createDayRange(day(20), day(1), timezone);
    const [flows] = await computeHomeFlows(ownDb, userId, [range], new Date(nowMs));
    expect(flows).toMatchObject({ coverage: 1, complete: true });
    const { grid_import_kwh, grid_export_kwh, production_kwh, charged_kwh, discharged_kwh } = flows ?? expect.fail();
    const used = (grid_import_kwh ?? 0) - (grid_export_kwh ?? 0) + (production_kwh ?? 0) + (discharged_kwh ?? 0);
    // Each of the five registers is rounded down to a watt-hour, so the sum of their energy may differ slightly.
    expect(used - (charged_kwh ?? 0)).toBeCloseTo(usedKwh(range.from.getTime(), range.to.getTime()), 1);
    expect(flows?.consumption_kwh).toBeGreaterThan(50);
    expect(flows?.untracked_kwh).toBeGreaterThan(20);
  });

  it('Ben: panels that have produced nothing since Sunday', async () => {
    const remarks = await remarksIn('ben');
    expect(remarks).toEqual(
      expect.arrayContaining([expect.objectContaining({ kind: 'production_missing', isSilent: false })]),
    );
    const { rows } = await own.pool.query(
      `SELECT max(hour) AS last FROM device_hourly JOIN devices USING (device_id)
       WHERE devices.user_id = $1 AND type = 'solar_inverter' AND export_milliwatt_hours > 0`,
      [home('ben').userId],
    );
    expect(rows[0].last.getUTCDay()).toBe(0);
  });

  it('Chiara: a fridge that has stayed on', async () => {
    const remarks = await remarksIn('chiara');
    expect(remarks).toEqual(
      expect.arrayContaining([expect.objectContaining({ kind: 'stays_on', location: 'Fridge' })]),
    );
  });

  it('Emma: gas and water in cubic metres, a thermostat, and a heater that somebody left on', async () => {
    expect(await remarksIn('emma')).toEqual(
      expect.arrayContaining([expect.objectContaining({ kind: 'stays_on', location: null })]),
    );
    expect(await devicesOf('emma')).toHaveLength(4);
    const { userId, timezone } = home('emma');
    const day = DateTime.fromMillis(nowMs, { zone: timezone }).minus({ days: 2 }).toISODate() ?? '';
    for (const commodity of ['gas', 'water'] as const) {
      const range = createDayRange(day, day, timezone);
      const [row] = await loadCommodityInsights(ownDb, userId, commodity, range, 'day', new Set());
      expect([commodity, row?.m3_used]).toEqual([commodity, expect.closeTo(commodity === 'gas' ? 3 : 0.2, -1)]);
      expect(row?.m3_used).toBeGreaterThan(0);
    }
  });

  it('Daan: a car, and an offer that is cheaper than his dynamic tariff', async () => {
    expect(await devicesOf('daan')).toEqual(['Meter cupboard: smart_meter, grid', 'Car: ev_charger, consumption']);
    // The remark about a cheaper tariff compares the costs of twelve months. This test has data for only two months, and compares their
    // costs.
    const { userId, timezone } = home('daan');
    const day = (daysAgo: number) =>
      DateTime.fromMillis(nowMs, { zone: timezone }).minus({ days: daysAgo }).toISODate() ?? '';
    const range = createDayRange(day(50), day(1), timezone);
    const costs = await Promise.all(
      (await loadAllTariffs(ownDb, userId)).map(async (tariff) => {
        const sources = await loadCostSources(ownDb, { userId }, [{ ...tariff, validFrom: '2020-01-01' }]);
        return Number((await computeTotalCost(sources, { range, now: new Date(nowMs) }))?.total);
      }),
    );
    expect(costs).toHaveLength(2);
    expect(costs[1]).toBeLessThan(0.95 * (costs[0] ?? 0));
  });

  it('Farid: a freezer that hardly stops, and a balcony panel of which he uses most', async () => {
    // The freezer raises both the lowest load of 22 hours and the lowest load of the night. It depends on the time of day which of them
    // causes the remark.
    expect(await remarksIn('farid')).toContainEqual(
      expect.objectContaining({ kind: expect.stringMatching(/^(?:stays_on|night_rose)$/), location: null }),
    );
    const { userId, timezone } = home('farid');
    const day = (daysAgo: number) =>
      DateTime.fromMillis(nowMs, { zone: timezone }).minus({ days: daysAgo }).toISODate() ?? '';
    const range = createDayRange(day(30), day(1), timezone);
    const [flows] = await computeHomeFlows(ownDb, userId, [range], new Date(nowMs));
    expect([timezone, flows?.production_kwh]).toEqual(['America/Los_Angeles', expect.any(Number)]);
    expect(flows?.production_kwh).toBeGreaterThan(10);
    expect(flows?.production_kwh).toBeLessThan(200);
    expect(flows?.self_consumed_kwh).toBeGreaterThan((flows?.production_kwh ?? 0) / 2);
  });

  it('the utility: silences of a gateway, a home and a device, and groups of homes', async () => {
    const now = new Date(nowMs);
    // Run twice: the second run, like a later start of the demo, must change nothing.
    for (const _ of [1, 2]) {
      await ensureDemoSilences(ownDb, homes, new Date(nowMs + HOUR_MS));
      await ensureDemoGroups(ownDb, homes);
    }
    const week = { fromMs: nowMs - 7 * 24 * HOUR_MS, toMs: nowMs };
    const { groups, unwatched } = await readDeviceSilences(ownDb, ALL_ACCOUNTS, week, now);
    expect(groups.map(({ kind, stops }) => [kind, stops.length])).toEqual([
      ['home', 2],
      ['gateway', 2],
      ['device', 1],
    ]);
    expect(unwatched).toEqual([]);
    for (const { deviceId, beganMs, endedMs } of groups.flatMap(({ stops }) => stops)) {
      const { rows } = await own.pool.query(
        `SELECT count(*) FILTER (WHERE read_at > $2 AND read_at < $3)::int AS within, count(*) FILTER (WHERE read_at IN ($2, $3))::int AS ends
         FROM readings JOIN series USING (series_id) WHERE device_id = $1`,
        [deviceId, new Date(beganMs), new Date(endedMs ?? 0)],
      );
      expect(rows).toEqual([{ within: 0, ends: 2 }]);
    }
    const grouped = await listGroups(ownDb, ALL_ACCOUNTS, { userId: homes.utilityId, limit: 10 });
    expect(grouped.map(({ name, members }) => [name, members]).sort()).toEqual([
      ['Europe', 4],
      ['North America', 2],
    ]);
  });

  it('the same readings after a restart', async () => {
    const again = await ensureDemoHomes(ownDb, { historyDays: HISTORY_DAYS, nowMs });
    again.devices.forEach((device, index) => {
      const before = homes.devices[index] as DemoDevice;
      expect(device.deviceId).toBe(before.deviceId);
      for (const atMs of [device.installedAtMs + 24 * HOUR_MS, nowMs - 3 * HOUR_MS, nowMs + 24 * HOUR_MS])
        expect(device.readings(atMs, true)).toEqual(before.readings(atMs, true));
    });
  });
});

describe('a home of an earlier version’s demo', () => {
  it('continues with its existing devices', async () => {
    const own = await createTestDatabase();
    try {
      const ownDb = createDatabase(own.pool);
      const history = { historyDays: 2, nowMs: Date.now() };
      const { user_id: userId } = await createUser(ownDb, { email: 'ben@demo.example', role: 'homeowner' });
      const place = { userId, email: 'ben@demo.example', timezone: 'Europe/London' };
      const meter = await ensureDeviceWithNewSecret(
        ownDb,
        { ...place, kind: 'smart_meter', location: 'Meter cupboard' },
        history,
      );
      const { users } = await ensureDemoHomes(ownDb, history);
      const ben = users.find((user) => user.userId === userId);
      expect(ben).toMatchObject({ isEarlier: true });
      expect(ben?.devices.map(({ deviceId, kind }) => [deviceId === meter.deviceId, kind])).toEqual([
        [true, 'smart_meter'],
        [false, 'thermostat'],
      ]);
      expect(users.filter(({ isEarlier }) => isEarlier)).toHaveLength(1);
    } finally {
      await own.drop();
    }
  });
});

describe('a simulated device of an earlier version, with an ordinary id,', () => {
  const history = { historyDays: 2, nowMs: Date.now() };

  it('is identified once by its type and location, and afterwards by its recorded id', async () => {
    const { user_id: userId } = await createUser(db, { email: 'old@example.com', role: 'homeowner' });
    const location = 'Simulated meter cupboard';
    const { device } = await createDevice(db, { userId, type: 'smart_meter', location });
    await updateDevice(db, ALL_ACCOUNTS, device.device_id, { decoder_config: { tz: 'Europe/Rome' } });
    const place = { userId, email: 'old@example.com', timezone: 'UTC', kind: 'smart_meter', location } as const;
    expect((await ensureDeviceWithNewSecret(db, place, history)).deviceId).toBe(device.device_id);
    const changed = await updateDevice(db, ALL_ACCOUNTS, device.device_id, { location: 'Hall', type: 'meter' });
    expect(changed?.decoder_config).toMatchObject({ tz: 'Europe/Rome' });
    const own = await createDevice(db, { userId, type: 'smart_meter', location });
    expect((await ensureDeviceWithNewSecret(db, place, history)).deviceId).toBe(device.device_id);
    expect(await isDeviceLoginValid(db, own.device.device_id, own.secret)).toBe(true);
    const { rowCount } = await database.pool.query('SELECT FROM devices WHERE user_id = $1', [userId]);
    expect(rowCount).toBe(2);
  });
});

describe('a home of a demo that was created before panels were added', () => {
  it('counts with panels from then on, and its past does not change', async () => {
    const nowMs = Date.now();
    const { user_id: userId } = await createUser(db, { email: 'solar@example.com', role: 'homeowner' });
    const place = { userId, email: 'solar@example.com', timezone: 'Europe/Berlin' };
    const history = { historyDays: 2, nowMs };
    const before = await ensureDeviceWithNewSecret(
      db,
      { ...place, kind: 'smart_meter', location: 'Meter cupboard' },
      history,
    );
    const ensure = () => ensureSolarDevices(db, place, 52.5, 'Meter cupboard', { ...history, nowMs: Date.now() });
    const [meter, inverter, battery] = (await ensure()) as [DemoDevice, DemoDevice, DemoDevice];
    expect(meter.deviceId).toBe(before.deviceId);
    for (let atMs = nowMs; atMs > nowMs - 24 * HOUR_MS; atMs -= HOUR_MS)
      expect(meter.readings(atMs, true)[0]).toEqual(before.readings(atMs, true)[0]);
    for (const device of [inverter, battery]) {
      expect(device.installedAtMs).toBeGreaterThan(nowMs - 25 * HOUR_MS);
      expect(counted(device, 0, device.installedAtMs, nowMs)).toBe(0);
      expect(counted(device, 0, nowMs, nowMs + 7 * 24 * HOUR_MS)).toBeGreaterThan(0);
    }
    // A later start of the demo simulates the same solar panels, even after the inverter was deleted.
    const later = nowMs + 7 * 24 * HOUR_MS;
    const readingsOf = (devices: DemoDevice[]) => devices.map((device) => device.readings(later, true));
    const first = readingsOf([meter, inverter, battery]);
    expect(readingsOf(await ensure())).toEqual(first);
    await deleteDevice(db, ALL_ACCOUNTS, inverter.deviceId);
    const again = await ensure();
    expect(again[1]?.deviceId).not.toBe(inverter.deviceId);
    expect(readingsOf(again)).toEqual(first);
  });
});

it('faults in the history of a meter with two registers do not change its counted energy', async () => {
  const nowMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const { user_id: userId } = await createUser(db, { email: 'faults@example.com', role: 'homeowner' });
  const place = { userId, email: 'faults@example.com', timezone: 'Europe/Berlin' };
  const devices = await ensureSolarDevices(db, place, 52.5, 'Hall', { historyDays: 5, nowMs });
  const faults = ['glitches', 'duplicates', 'late'];
  const players = await createDevicePublishers(`mqtt://127.0.0.1:${broker.port}`, devices, { liveSeconds: 10, faults });
  const missing = players.missing(nowMs);
  expect(await players.backfill(nowMs, () => {})).toBeGreaterThan(missing);
  await players.close();
  const [meter] = devices as [DemoDevice];
  const { rows } = await database.pool.query(
    `SELECT sum(energy_milliwatt_hours)::bigint AS import, sum(export_milliwatt_hours)::bigint AS export
     FROM device_hourly WHERE device_id = $1`,
    [meter.deviceId],
  );
  const firstMs = Math.ceil(meter.installedAtMs / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
  expect(rows[0]).toEqual({ import: counted(meter, 0, firstMs, nowMs), export: counted(meter, 1, firstMs, nowMs) });
  expect(rows[0].export).toBeGreaterThan(0);
  const glitches = await database.pool.query(
    `SELECT channel, count(*)::int FROM series JOIN readings USING (series_id)
     WHERE device_id = $1 AND value > 400e9 GROUP BY 1 ORDER BY 1`,
    [meter.deviceId],
  );
  expect(glitches.rows).toEqual([
    { channel: 'export', count: 6 },
    { channel: 'import', count: 6 },
  ]);
});
