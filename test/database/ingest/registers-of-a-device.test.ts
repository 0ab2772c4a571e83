import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIncomingMessage } from '#ingest/incoming.ts';
import { recomputeChangedDevices } from '#ingest/write/changed-devices.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { closeBillPeriod, createBillPeriod, findBillPeriod } from '#src/billing/store.ts';
import { createDatabase } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { notifyOwnersOfRecomputedTotals } from '#src/users/notify-recomputed-totals.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';
import { sumImportedMilliwattHours } from '#test/support/meters.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

/** Creates a home with a device that announces registers with these names to Home Assistant in a single message. */
async function announced(names: readonly string[], maker = 'Meter') {
  const { userId, key } = await api.user('homeowner');
  const { json: gateway } = await api.send('/v1/gateways', { method: 'POST', key, body: { name: 'home' } });
  const startMs = Math.floor(api.now.getTime() / 3_600_000) * 3_600_000 - 5 * 3_600_000;
  const writer = createReadingBatchWriter(api.database.pool, { now: () => api.now.getTime() });
  const receive = (topic: string, payload: object, minute: number) => {
    const message = createIncomingMessage({
      topic: `gw/${gateway.gateway_id}/${topic}`,
      payload: Buffer.from(JSON.stringify(payload)),
      receivedAtMs: startMs + minute * 60_000,
      replayed: false,
    });
    return writer.write(message ? [message] : []);
  };
  const announce = (name: string, at: number) =>
    receive(
      `homeassistant/sensor/m1/r${at}/config`,
      {
        name,
        device_class: 'ENERGY',
        state_class: 'TOTAL_INCREASING',
        unit_of_measurement: 'kWh',
        state_topic: 'm1/state',
        value_template: `{{ value_json.r${at} }}`,
        device: { identifiers: ['m1'], name: maker },
      },
      0,
    );
  const sendValues = (minute: number, ...values: readonly number[]) =>
    receive('m1/state', Object.fromEntries(values.map((value, at) => [`r${at}`, value])), minute);
  for (const [at, name] of names.entries()) await announce(name, at);
  await sendValues(0, ...names.map(() => 100));
  const [found] = (await api.send(`/v1/devices/discovered?user_id=${userId}`, { key })).json;
  const body = { type: 'smart_meter', location: 'cellar', discovery_id: found.discovery_id };
  const { json: device } = await api.send('/v1/devices', { method: 'POST', key, body });
  const { pool } = api.database;
  return {
    userId,
    announce,
    sendValues: sendValues,
    deviceId: device.device_id as string,
    compute: async () => {
      while ((await recomputeChangedDevices(pool, writer)) > 0);
    },
    kwh: async () => (await sumImportedMilliwattHours(api.database, 'device_intervals', userId)) / 1e6,
    countsAs: async () => {
      const { json } = await api.send(`/v1/devices/${device.device_id}`, { key });
      const listedChannels = json.channels as { native_name: string; counts_as: string | null }[];
      return Object.fromEntries(listedChannels.map(({ native_name, counts_as }) => [native_name, counts_as]));
    },
  };
}

test.each([
  [['Gesamtverbrauch', 'HT', 'NT'], [3, 1, 2], 3],
  [['Index total', 'HP', 'HC'], [3, 2, 1], 3],
  [['Total', 'Peak import', 'Off-peak import'], [3, 2, 1], 3],
  [['Energia attiva prelevata', 'F1', 'F2', 'F3'], [6, 1, 2, 3], 6],
  [['Energy Total', 'Imported'], [5, 3], 3],
  [['Home consumption', 'Grid consumption'], [5, 3], 3],
  [['Total', 'total_7d', 'total_30d'], [3, 1, 2], 3],
  [['Total', 'Heating', 'Hot water'], [3, 1, 2], 3],
] as const)('a device with %j has the consumption of its meter', async (names, used, kwh) => {
  const device = await announced(names);
  await device.sendValues(1, ...names.map(() => 100));
  await device.sendValues(11, ...used.map((one) => 100 + one));
  expect(await device.kwh()).toBeCloseTo(kwh, 6);
});

test('a device that was counted twice is recomputed for its whole past with its next message', async () => {
  const names = ['Gesamtverbrauch', 'Bezug HT', 'Bezug NT'];
  const device = await announced(names);
  const { pool } = api.database;
  // Restores the data of the previous version, which treated each register as a separately measured part of the home, and added them all
  // up.
  await pool.query(
    `INSERT INTO series (device_id, channel, kind, native_name, counts_import)
     SELECT $1, 'r' || n || '/import', 'register', name, true FROM unnest($2::text[]) WITH ORDINALITY x (name, n)`,
    [device.deviceId, names],
  );
  const list = (described: object) =>
    pool.query(
      `UPDATE discovered_devices SET first_seen_at = first_seen_at - interval '1 day', channels = (SELECT jsonb_agg(jsonb_build_object(
         'channel', 'r' || n || '/import', 'kind', 'energy_total_kwh', 'counts', 'import', 'native', name) || $3::jsonb)
         FROM unnest($2::text[]) WITH ORDINALITY x (name, n)) WHERE device_id = $1`,
      [device.deviceId, names, JSON.stringify(described)],
    );
  await list({ described: 'otherwise', described_at_ms: api.now.getTime() });
  await device.sendValues(1, 100, 100, 100);
  await device.sendValues(11, 103, 101, 102);
  expect(await device.kwh()).toBeCloseTo(6, 6);
  const db = createDatabase(pool);
  const day = api.now.toISOString().slice(0, 10);
  const [from, to] = [-2, 1].map((days) => new Date(api.now.getTime() + days * 86_400_000)) as [Date, Date];
  const days = { start: day, end: day, zone: 'UTC', from, to };
  const { period } = await createBillPeriod(db, { userId: device.userId, deviceId: null }, days, api.now);
  const billed = await closeBillPeriod(db, ALL_ACCOUNTS, period.bill_period_id, to);
  expect(Number(billed?.known.imported)).toBe(6_000_000);
  // The migration sets `may_be_recounted` for every account with readings.
  await pool.query('UPDATE users SET may_be_recounted = true WHERE user_id = $1', [device.userId]);
  await list({});
  await device.sendValues(21, 103, 101, 102);
  await device.compute();
  expect(await device.kwh()).toBeCloseTo(3, 6);
  expect(await device.countsAs()).toEqual({
    Gesamtverbrauch: null,
    'Bezug HT': 'import/t2',
    'Bezug NT': 'import/t1',
  });
  const bill = await findBillPeriod(db, ALL_ACCOUNTS, period.bill_period_id);
  expect(bill?.versions).toEqual(billed?.versions);
  expect(Number(bill?.known.imported)).toBe(3_000_000);
  // The owner is notified only once.
  expect(await notifyOwnersOfRecomputedTotals(db, api.now)).toBe(1);
  await pool.query('UPDATE series SET meant = NULL WHERE device_id = $1', [device.deviceId]);
  await list({ described: 'again', described_at_ms: 0 });
  await device.announce('Total', 3);
  await device.sendValues(31, 104, 102, 102, 200);
  await device.sendValues(41, 105, 103, 102, 201);
  await device.compute();
  expect(await notifyOwnersOfRecomputedTotals(db, api.now)).toBe(0);
});

test('an unexplained register needs its owner’s attention, and keeps its channel when another register is announced', async () => {
  const device = await announced(['Energy']);
  await device.sendValues(1, 100);
  await device.announce('Grid import', 1);
  await device.sendValues(11, 103, 50);
  expect(await device.countsAs()).toEqual({ Energy: null, 'Grid import': 'import' });
  // If a register starts later, the energy before its first reading does not change.
  expect(await device.kwh()).toBeCloseTo(3, 6);
  await device.sendValues(21, 105, 52);
  expect(await device.kwh()).toBeCloseTo(5, 6);
});
